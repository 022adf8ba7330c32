"""Atomic writes, to local files or wherever TensorFlow can write."""

import os
import secrets

from tfprof import _native


def directory_path(directory, argument):
    """The user's directory as a str; TypeError names the argument."""
    try:
        return os.fsdecode(directory)
    except TypeError:
        raise TypeError(f"{argument} must be a path, not {type(directory).__name__}") from None


def local_directory(directory, argument):
    """The same, for a directory that must be on this machine."""
    path = directory_path(directory, argument)
    if "://" in path:
        raise _native.ArgumentError(f"{argument}: expected a local directory, got {path!r}")
    return path


def check_directory(directory, argument):
    """Whether files can be written to the directory, which need not exist yet: to say at the
    start what would only fail at the end."""
    if "://" in directory:
        return
    there = os.path.abspath(directory)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise NotADirectoryError(f"{argument} is not a directory: {there}")
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(f"{argument} is not writable: {there}")


def write_whole(directory, name, data):
    """Writes bytes to directory/name, creating the directory if needed. An old file
    stays until the new one is complete."""
    files = _Remote if "://" in directory else _Local
    files.make_directory(directory or ".")
    path = os.path.join(directory, name)
    part = f"{path}.{secrets.token_hex(4)}.part"
    try:
        with files.open(part) as file:
            file.write(data)
        files.rename(part, path)
    except BaseException:
        files.remove(part)
        raise
    return path


class _Local:
    @staticmethod
    def make_directory(path):
        os.makedirs(path, exist_ok=True)

    @staticmethod
    def open(path):
        return open(path, "xb")

    rename = staticmethod(os.replace)

    @staticmethod
    def remove(path):
        try:
            os.unlink(path)
        except OSError:
            pass  # it was never created


class _Remote:
    """Through TensorFlow's file systems: gs://, hdfs:// and the like."""

    @staticmethod
    def make_directory(path):
        _gfile().makedirs(path)

    @staticmethod
    def open(path):
        return _gfile().GFile(path, "wb")

    @staticmethod
    def rename(source, target):
        _gfile().rename(source, target, overwrite=True)

    @staticmethod
    def remove(path):
        try:
            _gfile().remove(path)
        except Exception:  # it was never created, or the file system is gone
            pass


def _gfile():
    from tfprof._need import need

    return need("tensorflow", "writing to a URL").io.gfile
