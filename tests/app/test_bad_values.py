"""Values of options that cannot be: in every command one sentence and exit code 1; a wrong call stays 2."""

from __future__ import annotations

import shlex
import sys
import warnings

import pytest
import typer

from poinsot.app.cli import app, main
from poinsot.errors import PoinsotError

COMMANDS = typer.main.get_command(app).commands
FRF = 'frf three_link --input "link3 y" --output "link3 y"'
MOTION = "t,theta1\n" + "".join(f"{k / 10},{1 + k / 10}\n" for k in range(9))
BAD = """
simulate four_bar --t-end ten
simulate four_bar --t-end "3 kg"
simulate four_bar --t-end -1
simulate four_bar --rate 0
simulate four_bar --formulation jont
simulate four_bar --method eplicit
simulate four_bar --velocity "theta1=1 kg"
simulate four_bar --actuator B=1
simulate four_bar --independent theta9 --formulation embedded
measure ex800 --t-end -1
measure ex800 --rate x
measure ex800 --seed x
measure ex800 --seed -1
measure ex800 --sensors gyro
measure ex800 motion.csv --rate 1000
measure ex800 motion.csv --t-end 2 --pose x=0
kinematics four_bar motion.csv --formulation x
inverse four_bar motion.csv --axes x
inverse four_bar motion.csv --about x
modes four_bar -n x
modes four_bar -n 0
modes four_bar --locked x
modes four_bar --formulation x
{FRF} --from x
{FRF} --to -1
{FRF} --to "3 m"
{FRF} --points x
{FRF} --points 1
{FRF} --quantity x
{FRF} --damping x
{FRF} --damping -1
{FRF} --loss-factor -1
compliance three_link link9
map three_link --over phi1=0:1:x
map three_link --over phi9=0:1:3
map three_link --over "phi1=0 m:1 m:3"
map three_link --over phi1=0:1:3 -n x
base four_bar --channels x
base four_bar --eliminate x
determinable four_bar motion.csv --noise x
determinable four_bar motion.csv --noise -1
determinable four_bar motion.csv --noise "1 kg"
determinable four_bar motion.csv --parameters x
regressor four_bar motion.csv --channels x
regressor four_bar motion.csv --out x.txt
read motion.csv --rate x
read motion.csv --rate -1
read motion.csv --every x
read motion.csv --every 0
read motion.csv --time x
design nothing.toml
design nothing.toml --dask x
identify nothing.toml
identify nothing.toml --bootstrap x
compare nothing.toml --method x
report nothing
view four_bar --html x.html --simulate x
view four_bar --html x.html --simulate -1
view four_bar --html x.html --mode x
view four_bar --html x.html --mode 0
view four_bar --html x.txt
view four_bar --port x
view four_bar --port 99999
new x --mechanism nothing
new x --urdf nothing.urdf
reproduce nothing
completion tcsh
pose four_bar --pose theta1=ten
pose four_bar --pose "theta1=1 kg"
pose four_bar --pose theta9=1
check four_bar --set link9.mass=1
check four_bar --plot x.jpg
parameters four_bar --set "link1.mass=1 m"
show fuor_bar
convert four_bar x.sdf
schema --output none/x.json
models --json none/x.json
doctor --json none/x.json
cache --json none/x.json
""".strip().replace("{FRF}", FRF)
WRONG = ("check", "chekc four_bar", "check four_bar --jsn x", "check four_bar five_bar", "modes four_bar -n", "map x")


def ending(line: str, monkeypatch, capsys) -> tuple[int, str]:
    """Exit code and standard error of a line."""
    monkeypatch.setattr(sys, "argv", ["poinsot", *shlex.split(line)])
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # which the command line replaces
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code, capsys.readouterr().err


@pytest.mark.parametrize("line", BAD.splitlines())
def test_a_bad_value_is_one_sentence_and_exit_1(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "motion.csv").write_text(MOTION)
    code, said = ending(line, monkeypatch, capsys)
    assert code == 1 and said.startswith("error: ") and said.count("\n") == 1, said
    assert "this should not happen" not in said and "Usage" not in said
    assert [p.name for p in tmp_path.iterdir()] == ["motion.csv"]  # nothing was written


def test_every_command_is_among_them():
    assert {line.split()[0] for line in BAD.splitlines()} == set(COMMANDS)


NUMBERS = [
    (name, p.opts[-1])
    for name, command in COMMANDS.items()
    for p in command.params
    if p.type.name in ("int", "integer", "float") or p.metavar in ("TIME", "RATE", "FREQUENCY")
]


@pytest.mark.parametrize(("name", "option"), NUMBERS)
def test_no_command_takes_a_word_for_a_number(name, option):
    with pytest.raises(PoinsotError, match=f"^{option}: "):
        COMMANDS[name].make_context(name, [option, "many"])


def test_all_numbers_are_among_them():
    assert {"-n", "--t-end", "--rate", "--from", "--points", "--seed", "--port"} <= {option for _, option in NUMBERS}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_call_stays_exit_2(line, monkeypatch, capsys):
    code, said = ending(line, monkeypatch, capsys)
    assert code == 2 and "Traceback" not in said
