"""Computes models that Broch has trained, with NumPy arrays.

    import broch_model
    model = broch_model.Model("digits.bundle")
    scores = model(image)                # one array for one input; one output gives one array
    outputs = model(image=image)         # by name; several outputs give a dict

A model is a bundle, the file that `broch export` writes. Any number of threads may call a model at
once: Python's lock is released while it computes.

Every failure is a `broch_model.Error`, with the status of libbroch.h and a message. What the caller
has given wrongly, such as another dtype or an unknown name, is an `InputError`, which is also a
TypeError and a ValueError; a call that was cancelled is a `Cancelled`. Without the library, the
import fails (ImportError).

Python 3.8 or newer, and NumPy. The library is looked for beside this file (in the prefix that it
was installed with) and then where the system has libraries; BROCH_LIBRARY names another file.
LibTorch is found through BROCH_TORCH_DIR, see libbroch.h.
"""
import contextlib
import ctypes
import ctypes.util
import itertools
import os
import sys

import numpy

__all__ = ["Cancel", "Error", "Cancelled", "InputError", "Model", "Port", "library_version"]

RANK_MAX = 8
CANCELLED, INVALID = 1, 2
BFLOAT16 = 4
LEVELS = {"fast": 0, "bitwise": 1, "eager": 2}
# bfloat16, which NumPy lacks, is given and returned as the bits, in uint16.
DTYPES = {1: "float32", 2: "float64", 3: "float16", BFLOAT16: "uint16", 5: "int8", 6: "int16",
          7: "int32", 8: "int64", 9: "uint8", 10: "bool", 11: "complex64", 12: "complex128"}
# By kind of dtype; numbers can become those of the same place or a later one.
KINDS = {"b": 0, "i": 0, "u": 0, "f": 1, "c": 2}


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int32), ("message", ctypes.c_char * 2048)]


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("dtype", ctypes.c_int32),
                ("rank", ctypes.c_uint32), ("shape", ctypes.c_int64 * RANK_MAX)]


class _Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_uint32),
                ("shape", ctypes.c_int64 * RANK_MAX), ("symbols", ctypes.c_char_p * RANK_MAX),
                ("least", ctypes.c_int64 * RANK_MAX)]


_LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class _Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("threads", ctypes.c_int32),
                ("level", ctypes.c_int32), ("shapes", ctypes.c_uint32), ("log", _LOG),
                ("log_context", ctypes.c_void_p)]


class Error(RuntimeError):
    """A failure; `status` is one of libbroch.h."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status

    def __reduce__(self):
        return type(self), (self.status, str(self)), vars(self)


class Cancelled(Error):
    """The call was cancelled."""


class InputError(Error, TypeError, ValueError):
    """The caller has given something wrong; nothing was computed."""

    def __init__(self, message):
        super().__init__(INVALID, message)

    def __reduce__(self):
        return type(self), (str(self),), vars(self)


def _check(status, error, hint=""):
    if status == CANCELLED:
        raise Cancelled(status, "the call was ended early, since its Cancel is set; reset it before "
                                "the next call, or give each call a Cancel of its own")
    if status:
        message = error.message.decode("utf-8", "replace") + hint
        if status == INVALID:
            raise InputError(message)
        raise Error(status, message)


def _library_file():
    named = os.environ.get("BROCH_LIBRARY")
    if named:
        return named
    here = os.path.dirname(os.path.abspath(__file__))  # PREFIX/share/broch/python
    beside = os.path.normpath(os.path.join(here, "../../../lib/libbroch.so.0"))
    return beside if os.path.exists(beside) else ctypes.util.find_library("broch") or beside


def _opened():
    file = _library_file()
    try:
        return ctypes.CDLL(file)
    except OSError as error:
        raise ImportError(f"the library of Broch was not found: {error}; set the variable "
                          f"BROCH_LIBRARY to lib/libbroch.so of an installed Broch") from None


def _load():
    library = _opened()
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    error, tensors = ctypes.POINTER(_Error), ctypes.POINTER(_Tensor)
    info, handle = ctypes.POINTER(_Info), ctypes.POINTER(ctypes.c_void_p)
    options, texts = ctypes.POINTER(_Options), ctypes.POINTER(ctypes.c_char_p)
    for name, result, arguments in [
            ("version", text, []),
            ("open", ctypes.c_int32, [text, options, handle, error]),
            ("open_memory", ctypes.c_int32, [text, size, options, handle, error]),
            ("close", None, [pointer]),
            ("runtime", text, [pointer]),
            ("about_at", ctypes.c_int, [pointer, size, texts, texts]),
            ("file", pointer, [pointer, text, ctypes.POINTER(size)]),
            ("input_count", size, [pointer]),
            ("output_count", size, [pointer]),
            ("input", ctypes.c_int32, [pointer, size, info, error]),
            ("output", ctypes.c_int32, [pointer, size, info, error]),
            ("output_shapes", ctypes.c_int32, [pointer, tensors, size, tensors, size, error]),
            ("run", ctypes.c_int32, [pointer, tensors, size, tensors, size, pointer, error]),
            ("cancel_new", pointer, []),
            ("cancel_set", None, [pointer]),
            ("cancel_reset", None, [pointer]),
            ("cancel_free", None, [pointer])]:
        function = getattr(library, "libbroch_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


@contextlib.contextmanager
def _deterministic_as_before():
    """Opening a model sets a flag of LibTorch, which a PyTorch in this process uses as well."""
    torch = sys.modules.get("torch")
    is_set = getattr(torch, "are_deterministic_algorithms_enabled", None)
    if not is_set or not is_set():
        yield
        return
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(True, warn_only=warn_only)


def library_version():
    """The version of the library, "0.2.0"."""
    return _library.libbroch_version().decode()


class Cancel:
    """Ends calls early: give it to calls, and `set` it on another thread.

    Once it is set, calls with it raise Cancelled, also those that begin later, until it is reset.
    """

    def __init__(self):
        self._handle = _library.libbroch_cancel_new()
        if not self._handle:
            raise MemoryError

    def set(self):
        _library.libbroch_cancel_set(self._handle)

    def reset(self):
        _library.libbroch_cancel_reset(self._handle)

    def __reduce__(self):
        raise InputError("a Cancel cannot be copied or pickled; give the same one to all calls")

    def __del__(self):
        if getattr(self, "_handle", None):
            _library.libbroch_cancel_free(self._handle)


class Port:
    """An input or an output: its name, dtype and shape. A size that varies is its name, "B"."""

    def __init__(self, info):
        self.name = info.name.decode()
        self.dtype = numpy.dtype(DTYPES[info.dtype])
        self.shape = tuple(info.symbols[d].decode() if info.symbols[d] else info.shape[d]
                           for d in range(info.rank))
        self._code = info.dtype

    def __repr__(self):
        return f"{self.name}: {self.dtype} ({', '.join(map(str, self.shape))})"


class Model:
    """An open bundle: a file, or its content as bytes.

    threads, level ("fast", "bitwise", "eager") and shapes are the options of libbroch.h. log is a
    function that is called with warnings.
    """

    def __init__(self, bundle, threads=0, level="fast", shapes=0, log=None):
        self._handle = None
        if level not in LEVELS:
            raise InputError(f"level {level!r}, expected one of {', '.join(LEVELS)}")
        for name, number in ("threads", threads), ("shapes", shapes):
            if not isinstance(number, int) or not 0 <= number < 2**31:
                raise InputError(f"{name}: {number!r}, expected a whole number from 0")
        # Kept, as the model calls it.
        self._log = _LOG(lambda _, message: log(message.decode("utf-8", "replace"))) if log else _LOG()
        options = _Options(ctypes.sizeof(_Options), threads, LEVELS[level], shapes, self._log, None)
        with _deterministic_as_before():
            self._open(bundle, options)
        handle = self._handle
        self.inputs = self._ports(_library.libbroch_input_count, _library.libbroch_input)
        self.outputs = self._ports(_library.libbroch_output_count, _library.libbroch_output)
        self.runtime = _library.libbroch_runtime(handle).decode()
        self.about = self._about()

    def __call__(self, *arrays, cancel=None, **named):
        """Computes all outputs: an array if there is one, otherwise a dict by name.

        Arrays are for the inputs in their order, or by name. Numbers and lists become arrays with
        the dtype of the input if that changes none but the last digits of floats; an array has to
        have the dtype already. cancel: a Cancel.
        """
        if self._handle is None:
            raise InputError("the model is closed")
        if cancel is not None and not isinstance(cancel, Cancel):
            raise InputError(f"cancel: {cancel!r}, expected a Cancel")
        given = [self._given(port, array) for port, array in
                 zip(self.inputs, self._in_order(arrays, named))]
        inputs = (_Tensor * len(given))(*map(self._tensor, self.inputs, given))
        outputs, error = (_Tensor * len(self.outputs))(), _Error()
        _check(_library.libbroch_output_shapes(self._handle, inputs, len(inputs), outputs,
                                               len(outputs), error), error)
        results = []
        for port, tensor in zip(self.outputs, outputs):
            results.append(numpy.empty(tuple(tensor.shape[:tensor.rank]), port.dtype))
            # An address also without elements, so that the library does not allocate.
            tensor.data = results[-1].ctypes.data or 1
        _check(_library.libbroch_run(self._handle, inputs, len(inputs), outputs, len(outputs),
                                     cancel._handle if cancel else None, error), error)
        if len(results) == 1:
            return results[0]
        return {port.name: result for port, result in zip(self.outputs, results)}

    def close(self):
        """Frees the model. No other thread may be using it."""
        handle, self._handle = self._handle, None
        if handle is not None:
            _library.libbroch_close(handle)

    def __reduce__(self):
        raise InputError("a Model cannot be copied or pickled; open its bundle once more, or share "
                         "the Model between threads")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            self.close()

    def _open(self, bundle, options):
        # The model's own from the start: Ctrl-C meanwhile is raised before anything is returned.
        self._handle = handle = ctypes.c_void_p()
        error = _Error()
        if isinstance(bundle, bytes):
            # A bundle has bytes that are zero, a path has none.
            hint = "\n  bytes are the content of a bundle; a path is a str"
            status = _library.libbroch_open_memory(bundle, len(bundle), options, handle, error)
            _check(status, error, "" if b"\0" in bundle else hint)
        elif isinstance(bundle, (str, os.PathLike)):
            path = os.fsencode(bundle)
            if b"\0" in path:
                raise InputError(f"bundle: {bundle!r}, expected a path without zero bytes")
            _check(_library.libbroch_open(path, options, handle, error), error)
        else:
            raise InputError(f"bundle: {type(bundle).__name__}, expected a path or bytes")

    def _ports(self, count, describe):
        ports = []
        for number in range(count(self._handle)):
            info, error = _Info(), _Error()
            _check(describe(self._handle, number, info, error), error)
            ports.append(Port(info))
        return ports

    def _about(self):
        about, key, text = {}, ctypes.c_char_p(), ctypes.c_char_p()
        for number in itertools.count():
            if not _library.libbroch_about_at(self._handle, number, key, text):
                return about
            about[key.value.decode()] = text.value.decode("utf-8", "replace")

    def file(self, name):
        """The bytes of a file that is in the bundle, such as a vocabulary; b"": there is none."""
        if self._handle is None:
            raise InputError("the model is closed")
        size = ctypes.c_size_t()
        content = _library.libbroch_file(self._handle, name.encode(), size)
        return ctypes.string_at(content, size.value) if content else b""

    def _in_order(self, arrays, named):
        names = [port.name for port in self.inputs]
        if len(arrays) > len(names):
            raise InputError(f"{len(arrays)} arrays, expected {len(names)}: {', '.join(names)}")
        by_name = dict(zip(names, arrays))
        for name, array in named.items():
            if name not in names:
                raise InputError(f"no input {name!r}, expected one of {', '.join(names)}")
            if name in by_name:
                raise InputError(f"input {name!r} is given twice")
            by_name[name] = array
        missing = [name for name in names if name not in by_name]
        if missing:
            raise InputError(f"no array for {', '.join(missing)}")
        return [by_name[name] for name in names]

    @staticmethod
    def _given(port, array):
        if not isinstance(array, (numpy.ndarray, numpy.generic)):
            array = Model._converted(port, array)
        if array.dtype != port.dtype:
            raise InputError(f"input {port.name!r}: {array.dtype}, expected {port.dtype}; convert "
                             f"it with astype")
        if array.ndim > RANK_MAX:
            raise InputError(f"input {port.name!r}: {array.ndim} dimensions, expected at most "
                             f"{RANK_MAX}")
        return numpy.require(array, requirements="CA")

    @staticmethod
    def _converted(port, numbers):
        try:
            found = numpy.asarray(numbers)
        # Lists of different lengths, and what others raise that are asked for an array.
        except (TypeError, ValueError, RuntimeError) as error:
            raise InputError(f"input {port.name!r}: {error}") from None
        if port._code == BFLOAT16 and found.dtype != port.dtype:
            raise InputError(f"input {port.name!r}: {type(numbers).__name__}, expected an array of "
                             f"uint16 with the bits of bfloat16, which NumPy lacks")
        if found.size == 0:
            return found.astype(port.dtype)
        if KINDS.get(found.dtype.kind, len(KINDS)) <= KINDS[port.dtype.kind]:
            with numpy.errstate(over="ignore"):
                array = found.astype(port.dtype)
            if Model._is_kept(found, array):
                return array
        raise InputError(f"input {port.name!r}: {found.dtype}, expected numbers that {port.dtype} "
                         f"can hold")

    @staticmethod
    def _is_kept(found, array):
        if found.dtype.kind in "fc":
            return (numpy.isfinite(array) == numpy.isfinite(found)).all()
        # NumPy compares int64 with floats as float64; long doubles have all 64 bits.
        return (array.astype("clongdouble") == found.astype("clongdouble")).all()

    @staticmethod
    def _tensor(port, array):
        return _Tensor(array.ctypes.data, array.nbytes, port._code, array.ndim,
                       (ctypes.c_int64 * RANK_MAX)(*array.shape))
