"""Sources of documents: finding files, and opening them without being led elsewhere by links."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from io import BufferedReader
from pathlib import Path

from ...state.errors import RagraphsError
from .types import ENDINGS, SUPPORTED, LoadError, LoadFailure

_WILDCARD = re.compile(r"[*?\[]")
# O_NONBLOCK: opening a named pipe must not wait for a writer.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


_ENDING = re.compile(r"\.[a-z0-9]{1,10}")
# Folders of packages and of compiled code, which nobody means, and the file that makes an index.
_NOT_WALKED = frozenset({"node_modules", "__pycache__"})
_CATALOGUE = "catalogue.sqlite"


@dataclass(frozen=True)
class FoundFiles:
    """Files in order of their paths, those whose endings cannot be read, and those not allowed.

    ``hidden`` are files and folders that nobody is taken to mean: packages of others as well.
    """

    files: tuple[Path, ...]
    skipped: tuple[Path, ...]
    hidden: tuple[Path, ...]
    refused: tuple[LoadFailure, ...]


@dataclass
class _Search:
    """The files found by a walk so far; ``root`` is resolved, or None where any folder will do."""

    root: Path | None
    files: list[Path] = field(default_factory=list)
    skipped: list[Path] = field(default_factory=list)
    hidden: list[Path] = field(default_factory=list)
    refused: list[LoadFailure] = field(default_factory=list)

    def refuse(self, path: Path | str, reason: str) -> None:
        self.refused.append(LoadFailure(str(path), f"{os.path.basename(path)} {reason}"))

    def walk(self, folder: Path, pattern: tuple[str, ...]) -> None:
        for parent, folders, files in os.walk(folder, onerror=self._unreadable):
            if _CATALOGUE in files:
                folders.clear()
                continue
            states = _readings(Path(parent).relative_to(folder).parts, pattern)
            folders[:] = [
                name for name in folders if _after(name, states, pattern) - {len(pattern)}
            ]
            self._leave_out_folders(Path(parent), folders)
            for name in sorted(files):
                path = Path(parent, name)
                if len(pattern) not in _after(name, states, pattern):
                    continue
                if name.startswith("."):
                    self.hidden.append(path)
                elif path.suffix.lower() in ENDINGS:
                    self.consider(path)
                else:
                    self.skipped.append(path)

    def consider(self, path: Path) -> None:
        target = _resolve(path)
        if self.root is not None and not target.is_relative_to(self.root):
            self.refuse(path, "is a link out of the folder this server may read; copy it there.")
        elif not os.path.isfile(target):
            self.refuse(path, "is a broken link or no ordinary file, so it was left out.")
        elif self.root is not None and target.suffix.lower() not in ENDINGS:
            self.skipped.append(path)
        else:
            self.files.append(path if self.root is None else target)

    def _leave_out_folders(self, parent: Path, folders: list[str]) -> None:
        hidden = {name for name in folders if name.startswith(".") or name in _NOT_WALKED}
        paths = [parent / name for name in sorted(hidden)]
        self.hidden += [path for path in paths if not (path / _CATALOGUE).exists()]
        visible = sorted(set(folders) - hidden)
        linked = [name for name in visible if (parent / name).is_symlink()]
        for name in linked:
            self.refuse(parent / name, "is a link to a folder; name the folder itself to read it.")
        folders[:] = [name for name in visible if name not in linked]

    def _unreadable(self, error: OSError) -> None:
        self.refuse(error.filename, f"could not be listed ({error.strerror}).")


def find_files(source: str, base: Path, root: Path | None = None) -> FoundFiles:
    """The files that ``source`` names: a file, a folder (with all below it) or a glob.

    ``~`` is expanded and a relative source starts from ``base``. Unsupported endings of folders and
    globs are skipped; indexes are not even told. With
    ``root``, only what lies below it after links are followed is given, as resolved paths. Raises
    RagraphsError where nothing can be read.
    """
    root = None if root is None else _resolve(root)
    path = _absolute(source, base)
    try:
        exists = os.path.lexists(path)
        fixed = path if exists or not _WILDCARD.search(source) else _fixed_part(path)
        # Before anything says whether the path exists: that is nobody's business outside the root.
        _require_inside(source, fixed, root)
        search = _Search(root)
        if fixed != path:
            search.walk(fixed, path.relative_to(fixed).parts)
        elif not exists:
            raise RagraphsError(
                f"There is no file or folder {source!r}; check the spelling, or give a full path."
            )
        elif path.is_dir():
            search.walk(_resolve(path) if root else path, ("**",))
        else:
            _require_supported(source, path)
            search.consider(path)
    except OSError as error:
        raise RagraphsError(
            f"{source!r} could not be read ({error.strerror}); check its permissions."
        ) from error
    return _outcome(source, search)


def _outcome(source: str, search: _Search) -> FoundFiles:
    if not search.files:
        if search.refused:
            raise RagraphsError(
                f"{source!r} gives no file that can be read: {search.refused[0].reason}"
            )
        held = f" (it holds {told_endings(endings_of(search.skipped))})" if search.skipped else ""
        raise RagraphsError(
            f"{source!r} gives no file that can be read{held}; supported are {SUPPORTED}."
        )
    return FoundFiles(
        tuple(sorted(set(search.files))),
        tuple(search.skipped),
        tuple(search.hidden),
        tuple(search.refused),
    )


def endings_of(paths: Iterable[Path]) -> dict[str, int]:
    """How many of ``paths`` have each ending, the most frequent first; "" stands for none.

    >>> endings_of([Path("a.png"), Path("b.PNG"), Path("Makefile")])
    {'.png': 2, '': 1}
    """
    endings = (path.suffix.lower() for path in paths)
    counted = Counter(ending if _ENDING.fullmatch(ending) else "" for ending in endings)
    return dict(sorted(counted.items(), key=lambda each: (-each[1], each[0])))


def told_endings(endings: Mapping[str, int], most: int = 10) -> str:
    """Endings in words: ``7 .png, 3 .zip, 2 without an ending``.

    Of more than ``most``, the rest are counted together.
    """
    told = [f"{count} {ending or 'without an ending'}" for ending, count in endings.items()]
    if rest := list(endings.values())[most:]:
        told[most:] = [f"{sum(rest)} of {len(rest)} other endings"]
    return ", ".join(told)


def told_hidden(paths: Iterable[Path], most: int = 10) -> str:
    """A sentence on hidden ``paths`` that were not read, by their names; empty for none."""
    names = dict.fromkeys(path.name for path in paths)
    if not names:
        return ""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (
        f"Hidden files and folders, and folders of packages, were left out: "
        f"{', '.join([*names][:most])}{more}; name one to read it."
    )


def _absolute(source: str, base: Path) -> Path:
    if not source.strip() or "\0" in source:
        raise RagraphsError("A source is empty; name a file, a folder or a glob.")
    try:
        return Path(os.path.abspath(base / Path(source).expanduser()))
    except RuntimeError as error:
        raise RagraphsError(
            f"The home folder in {source!r} is unknown; give a full path."
        ) from error


def _resolve(path: Path) -> Path:
    # Path.resolve raises on a circle of links; realpath gives a path that does not exist.
    return Path(os.path.realpath(path))


def _require_inside(source: str, path: Path, root: Path | None) -> None:
    if root is not None and not _resolve(path).is_relative_to(root):
        raise RagraphsError(
            f"{source!r} lies outside the folder this server may read; name something below it."
        )


def _require_supported(source: str, path: Path) -> None:
    if path.suffix.lower() not in ENDINGS:
        raise RagraphsError(
            f"{source!r} has an ending that cannot be read; supported are {SUPPORTED}."
        )


def _fixed_part(path: Path) -> Path:
    parts = path.parts
    first = next(i for i, part in enumerate(parts) if _WILDCARD.search(part))
    return Path(*parts[:first])


def _readings(names: tuple[str, ...], pattern: tuple[str, ...]) -> set[int]:
    """How many parts of a glob a relative path may have used up; all of them where it fits.

    ``**`` stands for any number of folders. All readings are followed at once, so that many
    ``**`` cost no more than one.
    """
    states = _past_folders({0}, pattern)
    for name in names:
        states = _after(name, states, pattern)
    return states


def _after(name: str, states: set[int], pattern: tuple[str, ...]) -> set[int]:
    kept = {i for i in states if i < len(pattern) and pattern[i] == "**"}
    moved = {i + 1 for i in states - kept if i < len(pattern) and fnmatchcase(name, pattern[i])}
    return _past_folders(kept | moved, pattern)


def _past_folders(states: set[int], pattern: tuple[str, ...]) -> set[int]:
    reached = set(states)
    for i, part in enumerate(pattern):
        if i in reached and part == "**":
            reached.add(i + 1)
    return reached


def open_source(path: Path, root: Path | None = None) -> BufferedReader:
    """An ordinary file, open for reading bytes.

    With ``root``, no link that appeared since the file was found is followed. Raises LoadError.
    """
    try:
        descriptor = os.open(path, _FLAGS) if root is None else _open_below(path, root)
    except OSError as error:
        raise LoadError(f"{path.name} could not be opened ({error.strerror}).") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise LoadError(f"{path.name} is not an ordinary file, so it was left out.")
    return os.fdopen(descriptor, "rb")


def _open_below(path: Path, root: Path) -> int:
    root = _resolve(root)
    resolved = _resolve(path)
    if not resolved.is_relative_to(root) or resolved == root:
        raise LoadError(f"{path.name} lies outside the folder this server may read.")
    if os.open not in os.supports_dir_fd:
        return os.open(resolved, _FLAGS)
    try:
        return _open_step_by_step(root, resolved.relative_to(root).parts)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise LoadError(
                f"{path.name} became a link while it was read, so it was left out."
            ) from error
        raise


def _open_step_by_step(root: Path, parts: tuple[str, ...]) -> int:
    # Each step is relative to an open folder, so that no folder can be swapped for a link.
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            deeper = os.open(part, flags, dir_fd=folder)
            os.close(folder)
            folder = deeper
        return os.open(parts[-1], _FLAGS | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def sha256_of(path: Path, root: Path | None = None) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal. Raises LoadError."""
    with open_source(path, root) as file:
        try:
            return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise LoadError(f"{path.name} could not be read ({error.strerror}).") from error


def is_gone(file: Path) -> bool:
    """Whether there is no such file; not where nobody can say."""
    try:
        return not stat.S_ISREG(file.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


INLINE = "inline"


def document_path(file: Path, home: Path) -> str:
    """The name of a file in an index: relative to the index's ``home``, if below it."""
    if file.is_relative_to(home):
        return file.relative_to(home).as_posix()
    return file.as_posix()


# The ending of a file of rows, where a name goes on after it as the id of a row does.
_LIKE_A_ROW = re.compile(r"(?<=\.csv)(?=#)|(?<=\.json)(?=#)|(?<=\.jsonl)(?=#)", re.IGNORECASE)


def document_id(path: str, row: str = "") -> str:
    """The id of a document: its file's ``path``, and the id of its ``row`` in a file of rows.

    A file called ``a.json#b.txt`` is ``a.json//#b.txt``, since ``a.json#b.txt`` is a row of
    ``a.json``; no path has two slashes.
    """
    file = _LIKE_A_ROW.sub("//", path)
    return f"{file}#{row}" if row else file
