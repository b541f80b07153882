"""The words of the field as frozen dataclasses: everything here is plain data without behaviour or
I/O."""
