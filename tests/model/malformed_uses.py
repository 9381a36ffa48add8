"""Malformed model files, continued: components, forces, coordinates, actuators, sensors."""

from __future__ import annotations

from tests.model.malformed_cases import COMPONENT, PLANAR, SPATIAL

COMPONENTS = [
    (
        "unknown key of a law",
        PLANAR + '[forces.f]\ntype = "stribeck"\nvelocty = 1\non = { joint = "hinge" }\n',
        r"forces\.f\.velocty: .*there are: type, on, [a-z_, ]*$",
    ),
    (
        "unknown key of a load",
        PLANAR + '[forces.f]\ntype = "load"\nat = "arm"\nvalue = 1\n',
        r"forces\.f\.value: .*there are: type, at, force, moment, follows$",
    ),
    (
        "unknown component",
        COMPONENT + '[instances.l]\ncomponent = "lag"\nbase = 1\n',
        r"instances\.l\.component: .*'lag' \(did you mean 'leg'",
    ),
    (
        "argument missing",
        COMPONENT + '[instances.l]\ncomponent = "leg"\n',
        r"instances\.l: component 'leg' needs the argument 'base'",
    ),
    (
        "argument unknown",
        COMPONENT + '[instances.l]\ncomponent = "leg"\nbase = 1\nbass = 2\n',
        r"instances\.l\.bass: there is no argument 'bass'",
    ),
    (
        "wrong number of values",
        COMPONENT + '[instances.l]\ncomponent = "leg"\nnumber = 3\nbase = [1, 2]\n',
        r"instances\.l\.base: expected 3 values.*got 2",
    ),
    (
        "argument a table",
        COMPONENT + '[instances.l]\ncomponent = "leg"\nbase = { a = 1 }\n',
        r"instances\.l\.base: expected a number or a text",
    ),
    (
        "number zero",
        COMPONENT + '[instances.l]\ncomponent = "leg"\nnumber = 0\nbase = 1\n',
        r"instances\.l\.number: expected .*1.*got 0",
    ),
    (
        "number a text",
        COMPONENT + '[instances.l]\ncomponent = "leg"\nnumber = "six"\nbase = 1\n',
        r"instances\.l\.number: expected .*got 'six'",
    ),
    (
        "number too large",
        COMPONENT + '[instances.l]\ncomponent = "leg"\nnumber = 1000000\nbase = 1\n',
        r"instances\.l\.number: expected .*1000",
    ),
    (
        "separate a number",
        COMPONENT + '[instances.l]\ncomponent = "leg"\nseparate = 3\nbase = 1\n',
        r"instances\.l\.separate: expected .*got 3",
    ),
    (
        "separate matches nothing",
        COMPONENT + '[instances.l]\ncomponent = "leg"\nnumber = 2\nseparate = ["rud.*"]\nbase = 1\n',
        r"instances\.l\.separate.*'rud\.\*'.*matches no",
    ),
    (
        "argument used and not declared",
        COMPONENT.replace("{base}", "{bose}") + '[instances.l]\ncomponent = "leg"\nbase = 1\n',
        r"no argument 'bose' \(did you mean 'base'",
    ),
    (
        "component in itself",
        'format = 1\n[components.a.instances.b]\ncomponent = "a"\n[instances.c]\ncomponent = "a"\n',
        r"contain each other in a circle: a → a",
    ),
    (
        "components in a circle",
        'format = 1\n[components.a.instances.x]\ncomponent = "b"\n[components.b.instances.y]\ncomponent = "a"\n'
        '[instances.c]\ncomponent = "a"\n',
        r"circle: a → b → a",
    ),
    (
        "a flood of copies",
        "format = 1\n"
        + "".join(f'[components.c{i}.instances.x]\ncomponent = "c{i + 1}"\nnumber = 1000\n' for i in range(4))
        + '[components.c4]\n[instances.x]\ncomponent = "c0"\n',
        r"more than \d+ copies",
    ),
    (
        "two bodies of one name",
        COMPONENT.replace("bodies.rod", "bodies.self")
        + '[bodies.l]\nmass = 1\n[instances.l]\ncomponent = "leg"\nbase = 1\n',
        r"the name 'l' is used twice",
    ),
    (
        "shared parameter in the wrong unit",
        COMPONENT + '[parameters]\n"l.rod.mass" = "5 m"\n[instances.l]\ncomponent = "leg"\nnumber = 2\nbase = 1\n',
        r"parameters\.l\.rod\.mass: expected a quantity in kg",
    ),
    (
        "shared parameter with two values",
        COMPONENT.replace("mass = 1", 'mass = 1\nshared_as = "rods"')
        + '[components.arm.bodies.rod]\nmass = 2\nshared_as = "rods"\n'
        '[instances.l]\ncomponent = "leg"\nbase = 1\n[instances.a]\ncomponent = "arm"\n',
        r"components\.arm\.bodies\.rod\.mass: 'rods\.mass' is shared but given the values 1 and 2 kg",
    ),
]
ACTING = [
    (
        "unknown force",
        PLANAR + '[forces.f]\ntype = "springs"\n',
        r"forces\.f\.type: expected a type of force.*spring",
    ),
    ("spring on nothing", PLANAR + '[forces.f]\ntype = "spring"\nstiffness = 1\n', r"forces\.f: a spring needs `on`"),
    (
        "spring without stiffness",
        PLANAR + '[forces.f]\ntype = "spring"\non = { joint = "hinge" }\n',
        r"forces\.f: a spring needs its stiffness",
    ),
    (
        "spring with damping",
        PLANAR + '[forces.f]\ntype = "spring"\nstiffness = 1\ndamping = 1\non = { joint = "hinge" }\n',
        r"forces\.f\.damping: a spring has no damping",
    ),
    (
        "stiffness in the wrong unit",
        PLANAR + '[forces.f]\ntype = "spring"\nstiffness = "1 N/m"\non = { joint = "hinge" }\n',
        r"forces\.f\.stiffness: expected a quantity in N·m/rad",
    ),
    ("load nowhere", PLANAR + '[forces.f]\ntype = "load"\nforce = [1, 0]\n', r"forces\.f: a load needs `at`"),
    (
        "load with stiffness",
        PLANAR + '[forces.f]\ntype = "load"\nat = "arm"\nforce = [1, 0]\nstiffness = 3\n',
        r"forces\.f\.stiffness: a load has no stiffness",
    ),
    (
        "moment of three in the plane",
        PLANAR + '[forces.f]\ntype = "load"\nat = "arm"\nmoment = [1, 2, 3]\n',
        r"forces\.f\.moment: expected one number",
    ),
    (
        "joint misspelt",
        PLANAR + '[coordinates]\nq = { joint = "hing" }\n',
        r"coordinates\.q\.joint: there is no joint 'hing' \(did you mean 'hinge'",
    ),
    (
        "coordinate of nothing",
        PLANAR + "[coordinates]\nq = {}\n",
        r"coordinates\.q: expected one of joint, combination, length, position, angle, got none",
    ),
    (
        "coordinate of two kinds",
        PLANAR + '[coordinates]\nq = { joint = "hinge", angle = "arm" }\n',
        r"coordinates\.q: expected one of .*got joint, angle",
    ),
    (
        "position without axis",
        PLANAR + '[coordinates]\nq = { position = "arm" }\n',
        r"coordinates\.q: a position needs an axis",
    ),
    (
        "angle without sequence",
        SPATIAL + '[coordinates]\nq = { angle = "arm" }\n',
        r"coordinates\.q: an angle in space needs a sequence",
    ),
    (
        "angle about fixed axes",
        SPATIAL + '[coordinates]\nq = { angle = "arm", sequence = "xyz", index = 1 }\n',
        r"coordinates\.q\.sequence: expected a sequence about moving axes",
    ),
    (
        "index zero",
        SPATIAL + '[coordinates]\nq = { angle = "arm", sequence = "ZXZ", index = 0 }\n',
        r"coordinates\.q\.index: expected .*1, 2 or 3.*got 0",
    ),
    ("pose of an unknown coordinate", PLANAR + "[pose]\nq = 1\n", r"pose\.q: there is no coordinate 'q'"),
    (
        "pose in metres",
        PLANAR + '[coordinates]\nq = { joint = "hinge" }\n[pose]\nq = "1 m"\n',
        r"pose\.q: expected a quantity in rad",
    ),
    ("actuator on nothing", PLANAR + "[actuators.a]\n", r"actuators\.a\.on: this key is missing"),
    (
        "two actuators of one name",
        PLANAR.replace('"revolute"', '"revolute"\nactuated = true') + '[actuators.hinge]\non = { joint = "hinge" }\n',
        r"actuators\.hinge: there is already an actuator 'hinge'",
    ),
    (
        "actuator limits reversed",
        PLANAR + '[actuators.a]\nlimits = [3, -3]\non = { joint = "hinge" }\n',
        r"actuators\.a: the lower limit 3",
    ),
    (
        "sensor unknown",
        PLANAR + '[sensors.s]\ntype = "radar"\n',
        r"sensors\.s\.type: expected a type of sensor.*'radar'",
    ),
    ("imu nowhere", PLANAR + '[sensors.s]\ntype = "imu"\n', r"sensors\.s: a sensor of type imu needs `at`"),
    (
        "imu of a joint",
        PLANAR + '[sensors.s]\ntype = "imu"\nat = "arm"\njoint = "hinge"\n',
        r"sensors\.s\.joint: a imu has no joint|sensors\.s\.joint: an imu has no joint",
    ),
    (
        "sensor of no actuator",
        PLANAR + '[sensors.s]\ntype = "drive-force"\nactuator = "hinge"\n',
        r"sensors\.s\.actuator: there is no actuator 'hinge'",
    ),
    (
        "noise negative",
        PLANAR + '[sensors.s]\ntype = "encoder"\nnoise = -1\non = { joint = "hinge" }\n',
        r"sensors\.s\.noise: expected a number of at least 0",
    ),
    (
        "rate a text",
        PLANAR + '[sensors.s]\ntype = "imu"\nat = "arm"\nrate = "fast"\n',
        r"sensors\.s\.rate: expected .* in Hz, got 'fast'",
    ),
    (
        "rate negative",
        PLANAR + '[sensors.s]\ntype = "imu"\nat = "arm"\nrate = -5\n',
        r"sensors\.s\.rate: expected .*got -5",
    ),
    (
        "side c",
        PLANAR + '[sensors.s]\ntype = "reaction"\njoint = "hinge"\nside = "c"\n',
        r"sensors\.s\.side: expected .*'a' or 'b'.*got 'c'",
    ),
    (
        "direction too short",
        PLANAR + '[sensors.s]\ntype = "modal-point"\nat = "arm"\ndirection = [1, 0]\n',
        r"sensors\.s\.direction: expected 3 numbers, got 2",
    ),
]
