"""The stages of the gate, in the order a request passes them (`runs/gate.py` puts them together).

    call      fork edit > taped > arguments > budget > policy > [stepping] > tries > faults > real
    question              taped             > budget          > [stepping] > tries           > real

What stands in brackets comes with the step debugger: a stage is a callable in a list, so it is put
in without touching the others. "Taped" leads requests that are on the tape past the checks; "tries"
writes the log around each try (intent before effect, with secrets blacked out), takes outcomes from
the tape, and repeats what may be repeated. An outer stage may answer in the place of all behind it;
a source stands for the outside world.
"""
