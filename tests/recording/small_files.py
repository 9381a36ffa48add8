"""A small file of every format that is read, with the same samples: t, q and tau over a second."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np

T = np.arange(200) / 200.0  # [s]
Q = 0.3 * np.sin(2 * np.pi * T) + 0.1  # [rad]
RATE = 0.6 * np.pi * np.cos(2 * np.pi * T)  # of q  [rad/s]
TAU = 2.0 * np.cos(2 * np.pi * 3 * T)  # [N·m]
TABLE = np.stack([T, Q, TAU], axis=1)


def rows(delimiter: str = ",", decimal: str = ".") -> str:
    return "".join(delimiter.join(f"{x:.9f}".replace(".", decimal) for x in row) + "\n" for row in TABLE)


def csv(folder: Path) -> Path:
    (path := folder / "run.csv").write_text("t [s],q [rad],tau [Nm]\n" + rows())
    return path


def packed(folder: Path) -> Path:
    (path := folder / "run.csv.gz").write_bytes(gzip.compress(b"t;q;tau\ns;rad;Nm\n" + rows(";", ",").encode()))
    return path


def matlab(folder: Path) -> Path:
    from scipy.io import savemat

    path = folder / "run.mat"
    savemat(path, {"t": T[:, None], "q": Q[None, :], "tau": TAU[:, None], "gain": 35.0, "note": "a test"})
    return path


def matlab73(folder: Path) -> Path:
    """As MATLAB writes version 7.3: HDF5 behind a header of 512 bytes, arrays across."""
    import h5py

    path = folder / "run73.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, x in (("t", T), ("q", Q), ("tau", TAU)):
            file[name] = x[None, :]
            file[name].attrs["MATLAB_class"] = np.bytes_("double")
    with open(path, "r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")
    return path


def hdf5(folder: Path) -> Path:
    import h5py

    path = folder / "run.h5"
    with h5py.File(path, "w") as file:
        file["arm/q"], file["arm/tau"] = Q, TAU
        file["arm/q"].attrs["unit"] = "rad"
        file.attrs["sampling_rate"] = 200.0
    return path


def npz(folder: Path) -> Path:
    np.savez(path := folder / "run.npz", t=T, q=Q, tau=TAU)
    return path


def parquet(folder: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"t [s]": T, "q [rad]": Q, "tau": TAU}), path := folder / "run.parquet")
    return path


def uff(folder: Path, binary: int = 0) -> Path:
    import pyuff

    path = folder / f"run{binary}.uff"
    for node, x, unit in ((1, Q, "rad"), (2, TAU, "Nm")):
        one = pyuff.prepare_58(
            binary=binary,
            func_type=1,
            rsp_node=node,
            rsp_dir=3,
            x=T,
            data=x,
            id1="a test",
            ref_node=0,
            ref_dir=0,
            abscissa_spacing=1,
            abscissa_min=0.0,
            abscissa_inc=float(T[1]),
            abscissa_spec_data_type=17,
            ordinate_spec_data_type=12,
            ordinate_axis_units_lab=unit,
            orddenom_spec_data_type=0,
            z_axis_spec_data_type=0,
            ord_data_type=4,
            num_pts=len(T),
        )
        pyuff.UFF(str(path)).write_sets([one], mode="add")
    return path


def uff_binary(folder: Path) -> Path:
    return uff(folder, 1)


def dataphysics(folder: Path) -> Path:
    head = (
        "Units: Ratio\r\nChannel Name\t : \r\n\r\nFrequency\t Real\t Imaginary\r\n\r\nUnits:\r\nHz\t(m/s²)(N)\t \r\n"
    )
    body = "".join(f"{x:.6e}\t   {a:.7f}\t  {b:.7f}\r\n" for x, a, b in TABLE)
    (path := folder / "H1.txt").write_bytes((head + body).encode("latin-1"))
    return path


def labview(folder: Path) -> Path:
    head = (
        "LabVIEW Measurement\t\nWriter_Version\t2\nReader_Version\t2\nSeparator\tTab\nDecimal_Separator\t,\n"
        "X_Columns\tOne\nTime_Pref\tRelative\n***End_of_Header***\t\n\nChannels\t2\t\t\nSamples\t200\t200\t\n"
        "Y_Unit_Label\trad\tNm\t\nDelta_X\t0,005\t0,005\t\nX0\t0\t0\t\n***End_of_Header***\t\t\t\n"
        "X_Value\tq\ttau\tComment\n"
    )
    (path := folder / "run.lvm").write_text(head + rows("\t", ","))
    return path


def labview_waveform(folder: Path) -> Path:
    head = "waveform\t[0]\t[1]\nt0\t01.02.2024 10:00:00\t01.02.2024 10:00:00\ndelta t\t0.005\t0.005\n\n"
    head += "time\tY[0]\tY[1]\n"
    body = "".join(f"01.02.2024 10:00:00\t{q:.9f}\t{u:.9f}\n" for q, u in zip(Q, TAU))
    (path := folder / "waveform.txt").write_text(head + body)
    return path


def bag(folder: Path, name: str = "bag", mcap: bool = False) -> Path:
    """A ROS 2 bag of joint states and of an inertial unit at half their rate."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    types = store.types
    Joints, Imu = types["sensor_msgs/msg/JointState"], types["sensor_msgs/msg/Imu"]
    Stamp, Header = types["builtin_interfaces/msg/Time"], types["std_msgs/msg/Header"]
    V3, Quat = types["geometry_msgs/msg/Vector3"], types["geometry_msgs/msg/Quaternion"]
    path = folder / name
    plugin = StoragePlugin.MCAP if mcap else StoragePlugin.SQLITE3
    with Writer(path, version=9, storage_plugin=plugin) as writer:
        joints = writer.add_connection("/joint_states", Joints.__msgtype__, typestore=store)
        imu = writer.add_connection("/imu", Imu.__msgtype__, typestore=store)
        for k, (t, q, v, tau) in enumerate(np.stack([T, Q, RATE, TAU], axis=1)):
            ns = 1_700_000_000_000_000_000 + round(1e9 * t)
            header = Header(Stamp(ns // 10**9, ns % 10**9), "base")
            state = Joints(header, ["shoulder", "elbow"], *(np.array([x, 2 * x]) for x in (q, v, tau)))
            writer.write(joints, ns + 999, store.serialize_cdr(state, Joints.__msgtype__))
            if k % 2 == 0:
                nine = np.zeros(9)
                one = Imu(header, Quat(0, 0, 0, 1), nine, V3(q, 0, 0), nine, V3(0, 0, 9.81), nine)
                writer.write(imu, ns, store.serialize_cdr(one, Imu.__msgtype__))
    return path


def bag_mcap(folder: Path) -> Path:
    """The MCAP file of a bag."""
    return next(bag(folder, "bag_mcap", mcap=True).glob("*.mcap"))


def mcap_json(folder: Path) -> Path:
    from mcap.writer import Writer

    path = folder / "json.mcap"
    with open(path, "wb") as file:
        writer = Writer(file)
        writer.start()
        schema = writer.register_schema("arm", "jsonschema", b"{}")
        channel = writer.register_channel("/arm", "json", schema)
        for t, q, tau in TABLE:
            message = json.dumps({"q": q, "tau": tau}).encode()
            writer.add_message(channel, log_time=round(1e9 * t) + 10**18, data=message, publish_time=0)
        writer.finish()
    return path


# Writers of files, and the names under which q and tau are then read.
FILES = {
    "csv": (csv, "q", "tau"),
    "csv, gzip, decimal comma": (packed, "q", "tau"),
    "MATLAB 5": (matlab, "q", "tau"),
    "MATLAB 7.3": (matlab73, "q", "tau"),
    "HDF5": (hdf5, "arm.q", "arm.tau"),
    "NPZ": (npz, "q", "tau"),
    "Parquet": (parquet, "q", "tau"),
    "UFF": (uff, "1+Z", "2+Z"),
    "UFF, binary": (uff_binary, "1+Z", "2+Z"),
    "LabVIEW": (labview, "q", "tau"),
    "LabVIEW waveform": (labview_waveform, "Y0", "Y1"),
    "ROS 2 bag": (bag, "joint_states.shoulder.position", "joint_states.shoulder.effort"),
    "MCAP of ROS 2": (bag_mcap, "joint_states.shoulder.position", "joint_states.shoulder.effort"),
    "MCAP of JSON": (mcap_json, "arm.q", "arm.tau"),
}
