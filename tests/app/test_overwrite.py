"""What --overwrite may replace: regular files of one's own, whose permissions stay."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from poinsot import PoinsotError, load, save, write_mjcf, write_urdf
from poinsot.app.output import write_json, write_text

WRITERS = {
    "text": lambda path: write_text(path, "new", True),
    "json": lambda path: write_json(path, {}, True),
    "save": lambda path: save(load("four_bar"), path, overwrite=True),
    "mjcf": lambda path: write_mjcf(load("four_bar"), path, overwrite=True),
    "urdf": lambda path: write_urdf(load("four_bar"), path, overwrite=True),
}


@pytest.fixture(params=WRITERS)
def write(request):
    return WRITERS[request.param]


def refusal(write, path) -> str:
    with pytest.raises(PoinsotError) as caught:
        write(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_permissions_of_a_replaced_file_stay(write, tmp_path):
    path = tmp_path / "mine"
    for mode in (0o600, 0o640, 0o755):
        path.write_text("mine")
        path.chmod(mode)
        write(path)
        assert path.read_text() != "mine"
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_permissions_that_the_user_wants(write, tmp_path):
    before = os.umask(0o077)
    try:
        write(tmp_path / "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


@pytest.mark.parametrize("target", ["there", "nowhere"])
def test_a_symbolic_link_and_its_target_stay(write, tmp_path, target):
    (tmp_path / "there").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / target)
    assert "symbolic link" in refusal(write, tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "there").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["link", "there"]  # nothing is left beside


def test_pipes_devices_and_folders_stay(write, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        assert f"this is a {name}" in refusal(write, tmp_path / name)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_device_is_refused(tmp_path):

    assert "this is a device" in refusal(WRITERS["text"], Path(os.devnull))
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_file_of_another_user_stays(write, tmp_path, monkeypatch):
    path = tmp_path / "theirs"
    path.write_text("theirs")
    monkeypatch.setattr(os, "geteuid", lambda owner=os.geteuid(): owner + 1)  # noqa: B008
    assert "belongs to another user" in refusal(write, path)
    assert path.read_text() == "theirs"


def test_a_name_or_folder_that_cannot_be_is_one_sentence(write, tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "none" / "x", tmp_path / "file" / "x", tmp_path / ("x" * 300), tmp_path / "a\0b"):
        assert "cannot be written" in refusal(write, path)
