"""Malformed model files: name, what is wrong in the file, and what the message must say (a regular expression)."""

from __future__ import annotations

SPATIAL = """
format = 1
[bodies.arm]
mass = 1
inertia = [1, 1, 1]
[bodies.arm.frames]
tip = [0, 0, 1]
[joints.hinge]
type = "revolute"
between = ["ground", "arm"]
"""
PLANAR = """
format = 1
planar = true
[bodies.arm]
mass = 1
inertia = 1
frames.tip = [1, 0]
[joints.hinge]
type = "revolute"
between = ["ground", "arm"]
"""
COMPONENT = """
format = 1
[components.leg]
arguments = ["base"]
[components.leg.bodies.rod]
mass = 1
inertia = [1, 1, 1]
[components.leg.joints.ball]
type = "spherical"
between = [{ body = "ground", position = ["{base}", 0, 0] }, "rod"]
"""


def spatial(old: str, new: str) -> str:
    assert old in SPATIAL
    return SPATIAL.replace(old, new)


def planar(old: str, new: str) -> str:
    assert old in PLANAR
    return PLANAR.replace(old, new)


def parameter(line: str) -> str:
    return f"format = 1\n[parameters]\n{line}\n"


BEGINNING = [
    ("empty file", "", r"format: this key is missing; a model file begins with format = 1"),
    ("only a comment", "# nothing\n", r"format: this key is missing"),
    ("not toml", "this is not toml", r"not a TOML file: .*line 1"),
    ("unclosed text", 'format = 1\nname = "half', r"not a TOML file: unterminated string"),
    ("duplicate key", "format = 1\nformat = 1\n", r"not a TOML file: .*line 2"),
    ("duplicate table", "format = 1\n[bodies.a]\nmass = 1\n[bodies.a]\nmass = 2\n", r"not a TOML file: .*line 4"),
    ("format of the future", "format = 2\n", r"format: this version of Poinsot reads format 1, not 2"),
    ("format as text", 'format = "1"\n', r"format: .*reads format 1, not '1'"),
    ("format true", "format = true\n", r"format: .*not True"),
    (
        "unknown table",
        "format = 1\n[bodys.a]\nmass = 1\n",
        r"bodys: this key is not known here.*did you mean 'bodies'",
    ),
    ("bodies a number", "format = 1\nbodies = 3\n", r"bodies: expected .*got 3"),
    ("a body a number", "format = 1\nbodies.arm = 3\n", r"bodies\.arm: expected .*got 3"),
    ("name a number", "format = 1\nname = 3\n", r"name: expected .*text.*got 3|name: expected .*string.*got 3"),
    ("planar a text", 'format = 1\nplanar = "yes"\n', r"planar: expected .*got 'yes'"),
    ("planar a number", "format = 1\nplanar = 1\n", r"planar: expected .*got 1"),
    ("bad body name", 'format = 1\n[bodies."1 arm"]\nmass = 1\n', r"bodies: '1 arm' is not a name"),
    ("bad parameter name", parameter('"a b" = 1'), r"parameters\.a b: .*not a name"),
]
BODIES = [
    ("misspelt key", spatial("mass = 1", "mas = 1"), r"bodies\.arm\.mas: this key is not known.*did you mean 'mass'"),
    (
        "a spring on a name",
        PLANAR + '[forces.k]\ntype = "spring"\nstiffness = 1\non = "hinge"\n',
        r"forces\.k\.on: expected a table such as \{ joint = \"A\" \}, got 'hinge'",
    ),
    ("mass a table", spatial("mass = 1", "mass = {a = 1}"), r"bodies\.arm\.mass: expected a number.*got a table"),
    ("mass true", spatial("mass = 1", "mass = true"), r"bodies\.arm\.mass: expected a number.*got True"),
    ("mass a date", spatial("mass = 1", "mass = 1979-05-27"), r"bodies\.arm\.mass: expected a number"),
    ("mass empty", spatial("mass = 1", 'mass = ""'), r"bodies\.arm\.mass: expected a number.*got ''"),
    ("mass nan", spatial("mass = 1", "mass = nan"), r"bodies\.arm\.mass: expected a finite number, got nan"),
    ("mass infinite", spatial("mass = 1", "mass = inf"), r"bodies\.arm\.mass: expected a finite number, got inf"),
    ("mass 1e400", spatial("mass = 1", "mass = 1e400"), r"bodies\.arm\.mass: expected a finite number, got inf"),
    ("mass text 1e400", spatial("mass = 1", 'mass = "1e400 kg"'), r"bodies\.arm\.mass: expected a finite number"),
    (
        "mass negative",
        spatial("mass = 1", "mass = -1"),
        r"bodies\.arm\.mass: expected a number of at least 0 kg, got -1",
    ),
    (
        "mass in metres",
        spatial("mass = 1", 'mass = "3 m"'),
        r"bodies\.arm\.mass: expected a quantity in kg, got '3 m'",
    ),
    ("unknown unit", spatial("mass = 1", 'mass = "3 stone"'), r"bodies\.arm\.mass: .*3 stone"),
    ("broken unit", spatial("mass = 1", 'mass = "3 kg^-"'), r"bodies\.arm\.mass: .*3 kg\^-"),
    ("newline in a text", spatial("mass = 1", 'mass = "1\\n2"'), r"bodies\.arm\.mass: "),
    ("two inertias", spatial("[1, 1, 1]", "[1, 1]"), r"bodies\.arm\.inertia: expected 3 or 6 numbers .*got 2"),
    ("seven inertias", spatial("[1, 1, 1]", "[1,1,1,0,0,0,0]"), r"bodies\.arm\.inertia: expected 1 to 6 numbers"),
    ("three inertias in the plane", planar("inertia = 1", "inertia = [1,1,1]"), r"arm\.inertia: expected one number"),
    ("a list in the inertia", spatial("[1, 1, 1]", "[1, [1], 1]"), r"bodies\.arm\.inertia\[2\]: expected a number"),
    ("frame in the wrong space", spatial("[0, 0, 1]", "[0, 1]"), r"arm\.frames\.tip.*expected 3 numbers.*got 2"),
    ("frame in the wrong plane", planar("[1, 0]", "[1, 0, 2]"), r"arm\.frames\.tip.*expected 2 numbers.*got 3"),
    ("frame of one number", spatial("[0, 0, 1]", "[0]"), r"bodies\.arm\.frames\.tip"),
    ("frame a text", spatial("[0, 0, 1]", '"here"'), r"bodies\.arm\.frames\.tip"),
    ("gravity a number", spatial("format = 1", "format = 1\ngravity = 9.81"), r"gravity: expected a list of numbers"),
    ("gravity too short", spatial("format = 1", "format = 1\ngravity = [0, 1]"), r"gravity: expected 3 numbers"),
    ("mass on the ground", "format = 1\n[bodies.ground]\nmass = 1\n", r"bodies\.ground: the ground has frames only"),
    (
        "attitude given twice",
        spatial("tip = [0, 0, 1]", "tip = { rotation = { x = [1, 0, 0], quaternion = [1, 0, 0, 0] } }"),
        r"frames\.tip\.rotation: the attitude is given more than once: quaternion, x",
    ),
    (
        "sequence of one axis",
        spatial("tip = [0, 0, 1]", 'tip = { rotation = { sequence = "Z", angles = [1] } }'),
        r"frames\.tip\.rotation\.sequence: expected a rotation sequence of three axes such as 'ZXZ', got 'Z'",
    ),
    (
        "unknown sequence",
        spatial("tip = [0, 0, 1]", 'tip = { rotation = { sequence = "ZZX", angles = [1, 2, 3] } }'),
        r"frames\.tip\.rotation\.sequence: expected a rotation sequence.*'ZZX'",
    ),
    (
        "two angles",
        spatial("tip = [0, 0, 1]", 'tip = { rotation = { sequence = "ZXZ", angles = [1, 2] } }'),
        r"frames\.tip\.rotation\.angles: expected 3 numbers, got \[1, 2\]",
    ),
    (
        "three quaternion numbers",
        spatial("tip = [0, 0, 1]", "tip = { rotation = { quaternion = [1, 0, 0] } }"),
        r"frames\.tip\.rotation\.quaternion",
    ),
    (
        "quaternion of zeros",
        spatial("tip = [0, 0, 1]", "tip = { rotation = { quaternion = [0, 0, 0, 0] } }"),
        r"bodies\.arm.*quaternion.*length 0|bodies\.arm.*length 0",
    ),
    (
        "direction of zero length",
        spatial("tip = [0, 0, 1]", "tip = { rotation = { z = [0, 0, 0] } }"),
        r"bodies\.arm.*direction of length 0",
    ),
    (
        "placement in two ways",
        spatial("mass = 1", 'mass = 1\nplacement = { position = [0, 0, 0], at = "ground" }'),
        r"bodies\.arm\.placement: give either",
    ),
    (
        "placement at nowhere",
        spatial("mass = 1", 'mass = 1\nplacement = { at = "groud" }'),
        r"bodies\.arm\.placement\.at: there is no body 'groud' \(did you mean 'ground'\?\)",
    ),
    (
        "placement in the wrong space",
        spatial("mass = 1", "mass = 1\nplacement = { position = [0, 0] }"),
        r"bodies\.arm\.placement\.position: expected 3 numbers",
    ),
]
JOINTS = [
    (
        "unknown type",
        spatial("revolute", "hinge"),
        r"joints\.hinge\.type: expected a type of joint, got 'hinge'; there are: revolute",
    ),
    ("type missing", spatial('type = "revolute"\n', ""), r"joints\.hinge\.type: this key is missing"),
    ("between missing", spatial('between = ["ground", "arm"]\n', ""), r"joints\.hinge\.between: this key is missing"),
    ("one end", spatial('["ground", "arm"]', '["ground"]'), r"joints\.hinge\.between"),
    ("three ends", spatial('["ground", "arm"]', '["ground", "arm", "arm"]'), r"joints\.hinge\.between"),
    ("an end a number", spatial('"arm"]', "3]"), r"joints\.hinge\.between\[2\]: expected a place.*got 3"),
    (
        "misspelt body",
        spatial('"arm"]', '"amr"]'),
        r"joints\.hinge\.between\[2\]: there is no body 'amr' \(did you mean 'arm'\?\); there are: ground, arm",
    ),
    (
        "misspelt frame",
        spatial('"arm"]', '"arm.tpi"]'),
        r"joints\.hinge\.between\[2\]: body 'arm' has no frame 'tpi' \(did you mean 'tip'\?\)",
    ),
    (
        "a frame of its own behind its body",
        spatial('"ground", "arm"]', '"ground.o", "arm"]\n[frames.o]\nbody = "ground"\nposition = [0, 0, 1]'),
        r"between\[1\]: body 'ground' has no frame 'o', but \[frames\.o\] is on it: write 'o'",
    ),
    (
        "a frame of its own on another body",
        spatial('"ground"', '"ground.o"') + '[frames.o]\nbody = "arm"\nposition = [0, 0, 1]\n',
        r"between\[1\]: body 'ground' has no frame 'o'; there are: none",
    ),
    (
        "both ends on one body",
        spatial('"ground", "arm"', '"arm.tip", "arm"'),
        r"between: both sides are on the body 'arm'",
    ),
    (
        "inline frame without a body",
        spatial('"arm"]', "{ position = [0, 0, 0] }]"),
        r"between\[2\]\.body: this key is missing",
    ),
    ("inline frame misspelt", spatial('"arm"]', '{ body = "arm", positon = [0, 0, 0] }]'), r"between\[2\]\.positon"),
    (
        "axis of zero length",
        spatial('"revolute"', '"revolute"\naxis = [0, 0, 0]'),
        r"joints\.hinge.*direction of length 0",
    ),
    (
        "axis on a ball",
        spatial('"revolute"', '"spherical"\naxis = [0, 0, 1]'),
        r"joints\.hinge\.axis: a spherical joint has no axis",
    ),
    (
        "second axis on a hinge",
        spatial('"revolute"', '"revolute"\naxis2 = [0, 0, 1]'),
        r"joints\.hinge\.axis2: .*no axis2",
    ),
    (
        "axis in the wrong space",
        spatial('"revolute"', '"revolute"\naxis = [0, 1]'),
        r"joints\.hinge\.axis: expected 3 numbers",
    ),
    (
        "axis of a planar hinge",
        planar('"revolute"', '"revolute"\naxis = [0, 1]'),
        r"joints\.hinge\.axis: in a planar mechanism",
    ),
    (
        "spatial joint in the plane",
        planar("revolute", "universal"),
        r"joints\.hinge\.type: a universal joint is not for the plane",
    ),
    ("distance without length", spatial("revolute", "distance"), r"joints\.hinge: a distance joint needs its length"),
    (
        "length zero",
        spatial('"revolute"', '"distance"\nlength = 0'),
        r"joints\.hinge\.length: .*not zero|length: expected",
    ),
    (
        "length negative",
        spatial('"revolute"', '"distance"\nlength = -1'),
        r"joints\.hinge\.length: expected a number of at least 0",
    ),
    ("screw without lead", spatial("revolute", "helical"), r"joints\.hinge: a helical joint needs its lead"),
    (
        "screw with length",
        spatial('"revolute"', '"helical"\nlength = 1'),
        r"joints\.hinge\.length: a helical joint has no length",
    ),
    (
        "lead zero",
        spatial('"revolute"', '"helical"\nlead = 0'),
        r"joints\.hinge\.lead: expected a number that is not zero",
    ),
    (
        "lead without an angle",
        spatial('"revolute"', '"helical"\nlead = "5 mm"'),
        r"joints\.hinge\.lead: expected a quantity in m/rad, got '5 mm'",
    ),
    (
        "misspelt type",
        spatial("revolute", "revolut"),
        r"expected a type of joint, got 'revolut' \(did you mean 'revolute'\?\)",
    ),
    (
        "lead in degrees",
        spatial('"revolute"', '"helical"\nlead = "1 deg"'),
        r"joints\.hinge\.lead: expected a quantity in m/rad",
    ),
    (
        "stiffness of a ball",
        spatial('"revolute"', '"spherical"\nstiffness = 1'),
        r"joints\.hinge\.stiffness: .*no coordinate",
    ),
    (
        "stiffness along nothing",
        spatial('"revolute"', '"cylindrical"\nstiffness = { angel = 1 }'),
        r"joints\.hinge\.stiffness\.angel: .*did you mean 'angle'",
    ),
    (
        "which coordinate",
        spatial('"revolute"', '"cylindrical"\nstiffness = 1'),
        r"stiffness: .*displacement, angle: say which",
    ),
    (
        "rest without stiffness",
        spatial('"revolute"', '"revolute"\nrest = 1'),
        r"joints\.hinge\.rest: .*needs a stiffness",
    ),
    (
        "rest by the wrong name",
        spatial('"revolute"', '"revolute"\nstiffness = 1\nrest = { angel = 1 }'),
        r"hinge\.rest\.angel",
    ),
    (
        "limits reversed",
        spatial('"revolute"', '"revolute"\nlimits = [1, -1]'),
        r"joints\.hinge\.limits: the lower limit 1 .*upper",
    ),
    ("one limit", spatial('"revolute"', '"revolute"\nlimits = [1]'), r"joints\.hinge\.limits"),
    (
        "actuated by number",
        spatial('"revolute"', '"revolute"\nactuated = 3'),
        r"joints\.hinge\.actuated: expected .*got 3",
    ),
    (
        "closing a text",
        spatial('"revolute"', '"revolute"\nclosing = "no"'),
        r"joints\.hinge\.closing: expected .*got 'no'",
    ),
    (
        "friction a number",
        spatial('"revolute"', '"revolute"\nfriction = 3'),
        r"joints\.hinge\.friction: expected .*got 3",
    ),
]
EXPRESSIONS = [
    (
        "unknown parameter",
        parameter('a = "2 * lenght"\nlength = 1'),
        r"parameters\.a: .*'lenght' \(did you mean 'length'\?\)",
    ),
    ("a circle of one", parameter('a = "a + 1"'), r"circle: a → a"),
    ("a circle of three", parameter('a = "b"\nb = "c"\nc = "a"'), r"circle: a → b → c → a"),
    ("code", parameter("a = \"__import__('os')\""), r"parameters\.a: "),
    ("attribute of a function", parameter('a = "sin.__class__"'), r"parameters\.a: "),
    (
        "unknown function",
        parameter('a = "sine(1)"'),
        r"parameters\.a: there is no function 'sine' \(did you mean 'sin'\?\)",
    ),
    ("too many arguments", parameter('a = "sin(1, 2)"'), r"parameters\.a: .*sin takes 1 argument"),
    ("too few arguments", parameter('a = "atan2(1)"'), r"parameters\.a: .*atan2 takes 2 argument"),
    ("bracket open", parameter('a = "(1 + 2"'), r"parameters\.a: .*bracket is not closed"),
    ("bracket closed too often", parameter('a = "1 + 2)"'), r"parameters\.a: .*unexpected '\)'"),
    ("ends early", parameter('a = "1 +"'), r"parameters\.a: .*ends too early"),
    ("two operators", parameter('a = "2 */ 3"'), r"parameters\.a: .*unexpected '/'"),
    ("strange sign", parameter('a = "2 $ 3"'), r"parameters\.a: .*unexpected '\$'"),
    ("division by zero", parameter('a = "1/0"'), r"parameters\.a: .*no finite value"),
    ("division by a zero parameter", parameter('z = 0\na = "1/z"'), r"parameters\.a: .*no finite value"),
    ("overflow", parameter('a = "10^(10^10)"'), r"parameters\.a: .*no finite value"),
    ("complex", parameter('a = "(0-8)^(1/3)"'), r"parameters\.a: .*no finite value"),
    ("root of a negative", parameter('a = "sqrt(0-1)"'), r"parameters\.a: .*no finite value"),
    ("too long", parameter(f'a = "{"1+" * 2000}1"'), r"parameters\.a: an expression of \d+ characters is too long"),
    ("too deep", parameter(f'a = "{"(" * 90}1{")" * 90}"'), r"parameters\.a: .*more than 50 levels"),
    ("powers too deep", parameter(f'a = "{"2^" * 900}1"'), r"parameters\.a: .*more than 50 levels"),
    ("expression divides in a joint", spatial("[0, 0, 1]", '[0, 0, "1/0"]'), r"bodies\.arm.*no finite value"),
    (
        "bounds reversed",
        parameter("a = { value = 1, bounds = [2, 0] }"),
        r"parameters\.a.*bounds.*lower bound 2 .*upper bound 0",
    ),
    ("outside the bounds", parameter("a = { value = 5, bounds = [0, 2] }"), r"parameters\.a.*outside its bounds"),
    ("bounds of one", parameter("a = { value = 5, bounds = [0] }"), r"parameters\.a\.bounds"),
    (
        "bounds in another unit",
        parameter('a = { value = "5 m", bounds = ["1 kg", "9 kg"] }'),
        r"bounds\[1\]: expected a quantity in m",
    ),
    (
        "parameter of two units",
        parameter('a = { value = "5 m", unit = "kg" }'),
        r"parameters\.a.*expected a quantity in kg",
    ),
    ("unit that is not SI", parameter('a = { value = 5, unit = "mm" }'), r"parameters\.a\.unit: .*SI.*'mm'"),
    ("unit unknown", parameter('a = { value = 5, unit = "ell" }'), r"parameters\.a.*unit.*'ell' is not a unit"),
    (
        "parameter misspelt key",
        parameter("a = { value = 5, bound = [0, 9] }"),
        r"parameters\.a\.bound: this key is not known",
    ),
    ("note on no parameter", parameter('a = { description = "x" }'), r"parameters\.a: there is no parameter 'a'"),
    (
        "parameter given twice",
        'format = 1\n[parameters]\n"b.r" = 1\n[parameters.b]\nr = 2\n',
        r"parameters\.b\.r: .*given twice",
    ),
    ("parameter is pi", parameter("pi = 3"), r"parameters\.pi: .*constant"),
    ("parameter a list", parameter("a = [1, 2]"), r"parameters\.a: expected a number"),
]
