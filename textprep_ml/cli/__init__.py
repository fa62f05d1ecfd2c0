"""The command line: ``textprep COMMAND``.

One module per command; each command is a function that Python code can call too.

The modules of the commands import only the standard library and typer at their top, so that a command starts as fast as
what it uses. `segment`, which stands in pipelines of the shell and may be called for every file anew, starts without
typer where its arguments are plain.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from textprep_ml.exceptions import TextPrepError

#: Modules of this folder; each has a function of its own name, the command. The order is that of ``textprep --help``.
COMMANDS: tuple[str, ...] = (
    "segment",
    "transform",
    "train",
    "evaluate",
    "explain",
    "suggest",
    "label",
    "normalize",
    "words",
    "tokenize",
    "detokenize",
    "tag",
    "distance",
    "score",
    "encode",
    "decode",
    "inspect",
)

#: Exit code for bad usage and bad input.
USAGE_ERROR = 2

#: Exit code after Ctrl-C, as of shells.
INTERRUPTED = 130

#: Exit code after SIGTERM, as of shells.
TERMINATED = 143


def _check_streams() -> None:
    """Refuse to work for nothing: a closed standard output is an error, a closed standard error is none."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (open until the end)
    if sys.stdout is None:
        _fail("standard output is closed. Send it to a file, or to /dev/null.")


def _use_utf8() -> None:
    """Take arguments and write as UTF-8 whatever the locale says, with bare newlines; the readers check the input."""
    sys.argv[1:] = [os.fsencode(argument).decode("utf-8", "surrogateescape") for argument in sys.argv[1:]]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")  # type: ignore[union-attr]


def _fail(message: str) -> NoReturn:
    print(f"textprep: {message}", file=sys.stderr)
    raise SystemExit(USAGE_ERROR)


def leave_quietly() -> NoReturn:
    """End after the reader of our output has gone; the interpreter must not flush into the closed pipe once more.

    Raises
    ------
    SystemExit
        Always, with exit code 0.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(0)


def end_interrupted() -> NoReturn:
    """End after Ctrl-C in one line.

    Raises
    ------
    SystemExit
        Always, with exit code 130.
    """
    print("textprep: interrupted.", file=sys.stderr)
    raise SystemExit(INTERRUPTED) from None


@contextmanager
def terminable() -> Iterator[None]:
    """End at SIGTERM as at Ctrl-C, but without a line: processes that work are ended, half-written files removed.

    Yields
    ------
    None
        Where the signal is ignored, or something else was chosen for it, that is kept.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _end_terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end_terminated(number: int, frame: object) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # once is enough; a second one would break off the clearing up
    raise SystemExit(TERMINATED)


def _run(arguments: list[str]) -> NoReturn:
    if arguments[:1] == ["segment"]:
        from textprep_ml.cli import _plain, _sentences

        plain = _plain.parse_plain(arguments[1:], _sentences.OPTIONS)
        if plain is not None:
            _sentences.segment_files(plain[0], **plain[1])
            raise SystemExit(0)

    from textprep_ml.cli.app import build_app

    # A command that is named is built alone, and none for the version: reading the options of all of them takes a tenth
    # of a second.
    named = [name for name in arguments[:1] if name in COMMANDS]
    build_app(named if named or arguments[:1] == ["--version"] else COMMANDS)()
    raise SystemExit(0)


def main() -> None:
    """Run the command line: errors become one line on standard error and exit code 2.

    Raises
    ------
    SystemExit
        Always, with the exit code.
    """
    _check_streams()
    _use_utf8()
    warnings.formatwarning = lambda message, *_: f"textprep: {message}\n"
    gc.set_threshold(100_000)  # the modules and the model are many objects, none of them garbage
    try:
        try:
            _run(sys.argv[1:])
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        leave_quietly()
    except KeyboardInterrupt:
        end_interrupted()
    except MemoryError as error:
        _fail(str(error) or "there is not enough memory.")
    except TextPrepError as error:
        _fail(str(error))
    except OSError as error:
        # Errors of writing to the standard output name no file.
        named = error.filename or ("standard output" if error.errno in (errno.ENOSPC, errno.EIO, errno.EFBIG) else None)
        _fail(f"{named}: {error.strerror}." if named and error.strerror else str(error))
    except (ValueError, TypeError, ImportError) as error:  # the last: of an extra that is not installed
        if os.environ.get("TEXTPREP_ML_DEBUG"):
            raise
        _fail(" ".join(str(error).split()) or type(error).__name__)
