"""Internal functions of the library, for tests: hooks.c through ctypes.

The hooks are TFPROF_HOOKS or build/tests/libtfprof_hooks.so of this tree.
"""

import ctypes

import tree


class Refused(Exception):
    pass


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1024)]


class Hooks:
    def __init__(self):
        self._library = library = ctypes.CDLL(tree.hooks())
        library.hook_text_to_wire.argtypes = [
            ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p),
            ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(_Error)]
        library.hook_recognize.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        library.hook_recognize.restype = ctypes.c_char_p
        library.hook_free.argtypes = [ctypes.c_void_p]

    def text_to_wire(self, message_type, text):
        """The bytes of a text (str or bytes), or Refused."""
        if isinstance(text, str):
            text = text.encode()
        name = message_type.DESCRIPTOR.full_name
        name = name.removeprefix("tensorflow.").removeprefix("tfprof.")
        wire, size, error = ctypes.c_void_p(), ctypes.c_size_t(), _Error()
        status = self._library.hook_text_to_wire(
            name.encode(), text, len(text), ctypes.byref(wire), ctypes.byref(size),
            ctypes.byref(error))
        data = ctypes.string_at(wire, size.value) if wire else b""
        self._library.hook_free(wire)
        if status:
            raise Refused(error.text.decode())
        return data

    def recognize(self, data):
        """What the bytes look like, as a phrase."""
        return self._library.hook_recognize(data, len(data)).decode()
