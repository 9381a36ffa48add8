"""Examples at the end of every command's help: lines that run in a folder that `poinsot new` has made.

The tests run every one of them in the folder of `poinsot new --mechanism four_bar --simulated`, in this order.
"""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "models": ("poinsot models", "poinsot models --json -"),
    "show": ("poinsot show four_bar", "poinsot show delta > mine.toml"),
    "parameters": ("poinsot parameters model.toml",),
    "check": ("poinsot check model.toml", "poinsot check four_bar --in-space"),
    "pose": ("poinsot pose model.toml", 'poinsot pose model.toml --pose "theta1=40 deg"'),
    "convert": ("poinsot convert model.toml model.urdf", "poinsot convert model.toml model.xml"),
    "schema": ("poinsot schema --output model.schema.json",),
    "simulate": (
        "poinsot simulate model.toml --t-end 0.5 --csv fall.csv",
        'poinsot simulate model.toml --t-end 0.2 --pose "theta1=40 deg" --actuator "A=2 N·m"',
        'poinsot simulate model.toml --t-end 0.2 --velocity "theta1=1 rad/s" --set "link1.mass=1.2 kg"',
    ),
    "kinematics": ("poinsot kinematics model.toml motion.csv --csv poses.csv",),
    "inverse": (
        "poinsot inverse model.toml motion.csv --csv forces.csv",
        "poinsot inverse model.toml motion.csv --axes world --json forces.json",
    ),
    "modes": ("poinsot modes three_link", 'poinsot modes three_link --pose "phi1=0,phi2=45 deg,phi3=90 deg" -n 2'),
    "frf": (
        'poinsot frf three_link --input "link3 y" --output "link3 y" --from 5 --to 300 --damping 0.01 --csv frf.csv',
    ),
    "compliance": ('poinsot compliance three_link link3 --pose "phi1=0,phi2=0,phi3=0"',),
    "map": ("poinsot map three_link --over phi2=-1:1:5 --over phi3=-1:1:5 --csv map.csv",),
    "base": ("poinsot base model.toml", "poinsot base model.toml --numbers --json base.json"),
    "determinable": (
        "poinsot determinable model.toml motion.csv",
        'poinsot determinable model.toml motion.csv --noise 0.05 --parameters "link3.*"',
    ),
    "regressor": ("poinsot regressor model.toml motion.csv --out regressor.csv",),
    "read": ("poinsot read recording.csv", "poinsot read recording.csv model.toml"),
    "measure": (
        "poinsot measure model.toml motion.csv --seed 3 --out run.csv",
        "poinsot measure model.toml --t-end 0.5 --out fall.csv --force",
    ),
    "design": ("poinsot design design.toml --out designed",),
    "identify": ("poinsot identify study.toml --out result",),
    "compare": ("poinsot compare study.toml --method weighted --method robust",),
    "report": ("poinsot report result", "poinsot report result --out page.html"),
    "view": ("poinsot view model.toml", "poinsot view model.toml --motion motion.csv --html view.html"),
    "new": ("poinsot new mine --mechanism four_bar --simulated", "poinsot new arm --mechanism serial"),
    "reproduce": ("poinsot reproduce four-bar",),
    "doctor": ("poinsot doctor",),
    "cache": ("poinsot cache",),
    "completion": ("poinsot completion bash > poinsot.bash", "poinsot completion fish"),
}

CLOSING = """\b
Exit codes: 0 fine; 1 the answer is negative, or the input is wrong; 2 a wrong
call; 3 a doubtful verdict, with `identify --strict`; 130 interrupted.
`poinsot COMMAND --help` has options and examples."""


def examples_of(command: str) -> str | None:
    """The end of a command's help; None where there are no examples."""
    lines = EXAMPLES.get(command, ())
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines) if lines else None
