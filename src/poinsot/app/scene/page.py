"""Pages that need nothing else: the mechanism in space, moving or vibrating, in one HTML text.

The page holds the client of viser (0.8 MB) and the picture; it opens without a network and without a server.
"""

from __future__ import annotations

from poinsot.app.scene.build import Scene, scene_of
from poinsot.app.scene.draw import Drawing, draw, prepare
from poinsot.app.scene.track import Film, Moving, resampled, swing, vibration
from poinsot.app.scene.viser_package import server
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.spatial.pose import Pose
from poinsot.vibration.modes import Modes


def as_html(mechanism: Mechanism, moving: Moving | None = None, *, fps: float = 25.0, dark: bool = False) -> str:
    """A self-contained page that shows a mechanism, and plays a motion if one is given.

    `mechanism`; `moving` a simulation, kinematics, or anything with t, position and rotation by body;
    `fps` frames a second, fewer where the motion is longer than a minute; `dark` for a dark page.
    """
    film = None if moving is None else resampled(require_mechanism(mechanism), moving, fps)
    return page_of(scene_of(mechanism, film.frames[0].poses if film else None, dark=dark), film)


def modes_html(modes: Modes, k: int = 0, *, size: float = 1.0, dark: bool = False) -> str:
    """A self-contained page on which mode k of a mechanism swings.

    `modes` as `poinsot.modes` gave them; `k` from 0; `size` 1 moves a joint by about a tenth of the machine;
    `dark` for a dark page. The swing is slowed to 1.6 s whatever the frequency.
    """
    scene = scene_of(modes.linear.mechanism, modes.linear.poses, dark=dark)
    return page_of(scene, swing(vibration(modes, k, scene.sizes.extent, size)))


def page_of(scene: Scene, film: Film | None = None) -> str:
    """The page of a picture and, if there is one, of a film with it."""
    with server() as running:
        prepare(running, scene, (frame.poses for frame in film.frames) if film else ())
        drawing = draw(scene, running.scene)
        recorder = running.get_scene_serializer()
        for frame in film.frames if film else ():
            show(drawing, frame.poses, frame.lines, frame.joints)
            recorder.insert_sleep(float(film.pace) if film else 0.0)
        return recorder.as_html(dark_mode=scene.palette.dark)


def show(
    drawing: Drawing, poses: dict[str, Pose], lines: dict | None = None, joints: dict[str, Pose] | None = None
) -> None:
    """Show a frame: bodies, bent beams, and joints that have moved in their bodies."""
    from poinsot.app.scene.draw import set_pose

    drawing.place(poses)
    for beam, line in (lines or {}).items():
        if beam in drawing.tubes:
            drawing.bend(beam, line)
    for name, X_BB in (joints or {}).items():
        for primitive, handle in drawing.glyphs.get(name, ()):
            set_pose(handle, X_BB @ primitive.X, drawing.factor)
