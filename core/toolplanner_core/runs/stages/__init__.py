"""The stages of the gate, in the order a request passes them (`engine/gate.py` chains them).

    call      fork edit > taped > arguments > budget > stepping > once > policy > tries > faults
              > real
    question  prompts > fork edit > taped   > budget > stepping        > tries > samples > real

A stage is a callable in a list, so one is put in without touching the others. "Taped" leads
requests that are on the tape past the checks; "stepping" holds them at stop points; "tries" writes
the log around each try (intent before effect, with secrets blacked out), takes outcomes from the
tape, and repeats what may be repeated. An outer stage may answer in the place of all behind it; a
source stands for the outside world.
"""
