"""The stages of the gate, in the order a request passes them (`runs/gate.py` puts them together).

    call      arguments > budget > policy > [stepping] > tries > [faults] > [tape] > real
    question              budget          > [stepping] > tries > [faults] > [tape] > real

What stands in brackets comes with the step debugger: a stage is a callable in a list, so it is put
in without touching the others. "Tries" writes the log around each try (intent before effect, with
secrets blacked out) and repeats what may be repeated. An outer stage may answer in the place of all
behind it; an inner one (a source) stands for the outside world.
"""
