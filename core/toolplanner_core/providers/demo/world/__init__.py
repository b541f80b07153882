"""The demo world: about 200 APIs of invented vendors, really executed in process.

What an API *is* (documentation, endpoint, shape of its reply, behaviour) is data in
`resources/demo/apis/`; what it *knows* is data in `resources/demo/tables/`; what it *computes* are
the functions of this package, one module per subject. `endpoint.py` joins the three, `execute.py`
runs a call. The provider plug-in is `providers/demo/provider.py`.
"""
