"""Malformed model files: one sentence that names the file, the path in it and what was expected; nothing else."""

import os
import random
import re
import time
import tracemalloc
from importlib import resources

import pytest

from poinsot.errors import PoinsotError
from poinsot.model.load import library_names, load
from tests.model.malformed_beams import BEAMS
from tests.model.malformed_cases import BEGINNING, BODIES, EXPRESSIONS, JOINTS
from tests.model.malformed_uses import ACTING, COMPONENTS

CASES = [*BEGINNING, *BODIES, *JOINTS, *EXPRESSIONS, *COMPONENTS, *ACTING, *BEAMS]

SECONDS, MEGABYTES, LETTERS = 5.0, 200, 500


def complaint(path) -> str:
    """What loading a file says; it must be one line that names the file, soon and with little memory."""
    started = time.process_time()
    with pytest.raises(PoinsotError) as caught:
        load(path)
    assert time.process_time() - started < SECONDS
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    said = text.removeprefix(f"{path}: ")
    assert said and len(said.splitlines()) == 1 and said.isprintable(), said
    assert len(said) < LETTERS
    assert "Traceback" not in said and "validation error" not in said and "pydantic" not in said
    return said


def test_there_are_many_cases_and_each_has_its_own_name():
    assert len({name for name, _, _ in CASES}) == len(CASES) > 100


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_malformed_file_is_refused_in_one_sentence(tmp_path, text, expected):
    path = tmp_path / "model.toml"
    path.write_text(text, encoding="utf-8")
    said = complaint(path)
    assert re.search(expected, said), said


BYTES = {
    "latin-1": ('format = 1\nname = "Größe"\n'.encode("latin-1"), "not a text file in UTF-8 .byte 21"),
    "utf-16": ("format = 1\n".encode("utf-16"), "not a text file in UTF-8"),
    "nul": (b"format = 1\x00\n", "not a TOML file"),
    "binary": (bytes(range(256)) * 16, "not a t|not a T"),
    "control": (b'format = 1\nname = "\x1b[31m"\n', "not a TOML file"),
    "escape in a name": (b'format = 1\n[bodies."\\u001b[31m"]\nmass = 1\n', "bodies: .* is not a name"),
    "newline in a name": (b'format = 1\n"a\\nb" = 1\n', "this key is not known here"),
    "right to left": ('format = 1\n"\u202ea" = 1\n'.encode(), "this key is not known here"),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_that_are_no_text_are_refused(tmp_path, name):
    path = tmp_path / "model.toml"
    data, expected = BYTES[name]
    path.write_bytes(data)
    assert re.search(expected, complaint(path))


N = 5_000_000
LARGE = {
    "ten megabytes of brackets": lambda: "format = 1\na = " + "[" * (2 * N),
    "four megabytes of brackets": lambda: "format = 1\na = " + "[" * 3_900_000,
    "closed brackets": lambda: "format = 1\na = " + "[" * 100_000 + "]" * 100_000,
    "inline tables": lambda: "format = 1\na = " + "{a=" * 300_000,
    "closed inline tables": lambda: "format = 1\na = " + "{a=" * 300 + "1" + "}" * 300,
    "a long dotted key": lambda: "format = 1\n" + "a." * 1_900_000 + "a = 1\n",
    "a long dotted key with blanks": lambda: "format = 1\n" + "a . " * 900_000 + "a = 1\n",
    "a long quoted dotted key": lambda: "format = 1\n" + '"a".' * 900_000 + "a = 1\n",
    "a long dotted table": lambda: "format = 1\n[" + "a." * 1_900_000 + "a]\n",
    "deep parameters": lambda: "format = 1\n[parameters]\n" + "a." * 60 + "a = 1\n",
    "many unknown keys": lambda: "format = 1\n" + "".join(f"k{i} = 1\n" for i in range(60_000)),
    "many wrong bodies": lambda: "format = 1\n" + "".join(f"bodies.b{i} = 1\n" for i in range(40_000)),
    "a long name": lambda: (
        'format = 1\n[joints.a]\ntype = "revolute"\nbetween = ["ground", "' + "x" * 3_000_000 + '"]\n'
    ),
    "a long key": lambda: "format = 1\n" + "x" * 3_000_000 + " = 1\n",
    "a long text for a number": lambda: 'format = 1\n[bodies.a]\nmass = "' + "x" * 3_000_000 + '"\n',
    "a long number": lambda: "format = 1\n[bodies.a]\nmass = " + "9" * 3_000_000 + "\n",
    "a long list": lambda: "format = 1\ngravity = [" + "1," * 300_000 + "]\n",
    "a long chain of parameters": lambda: parameters_chain(3000),
}


def parameters_chain(n: int) -> str:
    return "format = 1\n[parameters]\n" + "".join(f'p{i} = "p{i + 1}"\n' for i in range(n)) + f"p{n} = 1\n"


@pytest.mark.parametrize("name", LARGE)
def test_huge_and_deep_files_are_refused_quickly(tmp_path, name):
    path = tmp_path / "model.toml"
    path.write_text(LARGE[name]())
    complaint(path)


def test_a_refusal_needs_little_memory(tmp_path):
    path = tmp_path / "model.toml"
    path.write_bytes(b"[" * 60_000_000)
    tracemalloc.start()
    complaint(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MEGABYTES * 1e6


def test_a_folder_is_no_model(tmp_path):
    folder = tmp_path / "model.toml"
    folder.mkdir()
    assert "folder" in complaint(folder)


def test_a_file_that_is_not_there(tmp_path):
    assert "there is no such file" in complaint(tmp_path / "nowhere.toml")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    path = tmp_path / "model.toml"
    path.write_text("format = 1\n")
    path.chmod(0)
    if os.access(path, os.R_OK):  # the superuser may read everything

        def refuse(*_):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(os, "open", refuse)
    assert "cannot be read: permission denied" in complaint(path)


@pytest.mark.parametrize("name", ["model.json", "model", "model.toml.bak"])
def test_another_kind_of_file_is_refused_with_the_kinds_that_are_known(tmp_path, name):
    path = tmp_path / name
    path.write_text("format = 1\n")
    assert "there are: .toml" in complaint(path)


@pytest.mark.parametrize("special", ["/dev/null", "/dev/zero"])
def test_a_device_is_not_read_for_ever(tmp_path, special):
    link = tmp_path / "model.toml"
    link.symlink_to(special)
    complaint(link)


def test_a_misspelt_library_name_is_answered_with_the_right_one():
    with pytest.raises(PoinsotError, match=r"no mechanism .*'pendulm' \(did you mean 'pendulum'\?\)"):
        load("pendulm")


@pytest.mark.parametrize("name", ["", ".", "..", "a\x00b", "~", "x" * 5000])
def test_strange_names_are_refused(name):
    with pytest.raises(PoinsotError):
        load(name)


TOKENS = ["1", "-1", '"m"', "true", "[]", "{}", "nan", '"{i}"', "[1, 2]", '"ground"', "1979-05-27", '"1/0"', '""']


def mutated(text: str, rng: random.Random) -> str:
    """A valid file after one to three random mistakes."""
    lines = text.splitlines()
    for _ in range(rng.randint(1, 3)):
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        action = rng.randrange(7)
        if action == 0:
            del lines[i]
        elif action == 1:
            lines.insert(j, lines[i])
        elif action == 2:
            lines[i], lines[j] = lines[j], lines[i]
        elif action == 3 and "=" in lines[i]:
            lines[i] = lines[i].split("=")[0] + "= " + rng.choice(TOKENS)
        elif action == 4:
            words = re.findall(r"\w+|\W", lines[i]) or [""]
            words[rng.randrange(len(words))] = rng.choice(re.findall(r"\w+", lines[j]) or ["x"])
            lines[i] = "".join(words)
        elif action == 5 and lines[i]:
            k = rng.randrange(len(lines[i]))
            lines[i] = lines[i][:k] + rng.choice("\"'[]{}=.,x0-#\\ ") + lines[i][k + 1 :]
        else:
            lines[i] = re.sub(r"\d+", lambda m: rng.choice(["0", "-3", "1e999", m.group()]), lines[i])
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(6))
def test_a_valid_file_with_random_mistakes_loads_or_is_refused_and_nothing_else(tmp_path, seed):
    rng, path = random.Random(seed), tmp_path / "model.toml"
    folder = resources.files("poinsot.library")
    texts = [(folder / f"{name}.toml").read_text(encoding="utf-8") for name in library_names()]
    refused = 0
    for _ in range(80):
        text = mutated(rng.choice(texts), rng)
        path.write_text(text, encoding="utf-8")
        try:
            load(path).elements  # noqa: B018
        except PoinsotError as error:
            refused += 1
            assert len(str(error).splitlines()) == 1, text
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}\n{text}") from error
    assert refused > 10
