"""`poinsot view`: a mechanism, a study or a result in the browser, live, as one page or as a picture."""

from __future__ import annotations

import threading
import time
import webbrowser
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

import poinsot
from poinsot.app.console import busy
from poinsot.app.options import Change, Overwrite, in_unit, place_of
from poinsot.app.output import require_page, require_png, write_bytes, write_text
from poinsot.app.viewer.address import LOCAL, PORT
from poinsot.errors import PoinsotError
from poinsot.model.mechanism import Mechanism
from poinsot.vibration.modes import Modes


@dataclass(frozen=True, eq=False)
class Shown:
    """What is to be shown."""

    mechanism: Mechanism
    study: Any = None  # poinsot.Study
    result: Any = None  # SavedResult
    moving: Any = None  # a motion to be played
    nominal: Mechanism | None = None  # of a result: the model before


def view(
    what: Annotated[str, typer.Argument(metavar="MODEL|RESULT|STUDY", help="a mechanism, a result folder, a study")],
    motion: Annotated[Path | None, typer.Option("--motion", metavar="CSV", help="a motion to play")] = None,
    simulate: Annotated[
        float | None,
        typer.Option(
            "--simulate",
            metavar="TIME",
            parser=in_unit("s", "--simulate"),
            help="simulate so long and play [s or with a unit]",
        ),
    ] = None,
    mode: Annotated[
        int | None, typer.Option("--mode", metavar="K", help="with --html or --picture: mode K swings, from 1")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="run a study and watch it, or wait for a result folder")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", callback=place_of(require_page, stream=True), help="write one page instead"
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture", metavar="FILE", callback=place_of(require_png), help="write one picture (.png) instead"
        ),
    ] = None,
    dark: Annotated[bool, typer.Option("--dark", help="a dark page")] = False,
    host: Annotated[str, typer.Option(help="who may see the page; 0.0.0.0: the whole network")] = LOCAL,
    port: Annotated[int, typer.Option(help="0 takes one that is free")] = PORT,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open the page in a browser")] = True,
    change: Change = None,
    overwrite: Overwrite = False,
) -> None:
    """Show a mechanism in the browser: sliders that keep loops closed, motions, modes, results; Ctrl-C ends."""
    from poinsot.app.scene.viser_package import viser_module

    viser_module()
    if motion is not None and simulate is not None:
        raise PoinsotError("--motion and --simulate are two motions: give one of them")
    if live := html is None and picture is None:
        _require_live(mode, host, port)
    if watch and live and not Path(what).exists():
        _wait(Path(what))
    shown = _loaded(what, motion, simulate, change, watch, live)
    if html is not None:
        with busy("page"):
            text = page_text(shown, mode, dark)
        write_text(html, text, overwrite)
        print(f"wrote {html} ({len(text) / 1e6:.1f} MB); it needs no network and no server")
    if picture is not None:
        with busy("picture"):
            content = picture_of(shown, mode, dark)
        write_bytes(picture, content, overwrite)
        print(f"wrote {picture}")
    if live:
        serve(shown, host, port, browser=browser, dark=dark, watch=watch, seconds=simulate)


def _loaded(
    what: str, motion: Path | None, simulate: float | None, change: list[str] | None, watch: bool, live: bool
) -> Shown:
    with busy(f"loading {what}"):
        shown = shown_by(what, motion, simulate, change)
    if watch and (not live or (shown.study is None and shown.result is None)):
        raise PoinsotError("--watch runs a study on the live page, or waits for the folder of a result")
    return shown


def _require_live(mode: int | None, host: str, port: int) -> None:
    from poinsot.app.viewer.address import require_free

    if mode is not None:
        raise PoinsotError("--mode is for --html or --picture; the live page has its modes under 'Modes'")
    require_free(host, port)


def _wait(folder: Path) -> None:
    from poinsot.app.viewer.watch import wait_for_result

    if folder.suffix or str(folder) in poinsot.library_names():
        return
    wait_for_result(folder, print)


def shown_by(what: str, motion: Path | None, simulate: float | None, change: list[str] | None) -> Shown:
    """Load what a command line names."""
    from poinsot.app.tables import loaded
    from poinsot.app.viewer.motion_panel import prescribed
    from poinsot.app.viewer.result_panel import is_result
    from poinsot.app.viewer.studies import is_study, read_study, recorded_motion

    if change and (is_result(Path(what)) or is_study(Path(what))):
        raise PoinsotError(f"--set changes a model, and {what} is a {'result' if Path(what).is_dir() else 'study'}")
    if is_result(Path(what)):
        shown = _result(Path(what))
    elif is_study(Path(what)):
        study = read_study(Path(what))
        shown = Shown(study.mechanism, study, moving=recorded_motion(study))
    else:
        shown = Shown(loaded(what, change))
    if motion is not None:
        return replace(shown, moving=prescribed(shown.mechanism, motion))
    if simulate is not None:
        return replace(shown, moving=poinsot.simulate(shown.mechanism, simulate))
    return shown


def _result(folder: Path) -> Shown:
    """The identified mechanism of a folder with its recorded motion, and the model before."""
    from poinsot.app.report.saved import read_result

    result = read_result(folder)
    if result.mechanism is None:
        raise PoinsotError(f"{folder}: there is no model to show: it has neither model.toml nor nominal.toml")
    nominal = folder / "nominal.toml"
    before = poinsot.load(nominal) if nominal.is_file() and not result.not_identified else None
    return Shown(result.mechanism, result=result, moving=result.motion, nominal=before)


def page_text(shown: Shown, mode: int | None, dark: bool) -> str:
    """The page of a mechanism, with its motion or a mode."""
    from poinsot.app.scene.page import as_html, modes_html

    if mode is None:
        return as_html(shown.mechanism, shown.moving, dark=dark)
    return modes_html(_modes(shown.mechanism, mode), mode - 1, dark=dark)


def picture_of(shown: Shown, mode: int | None, dark: bool) -> bytes:
    """A mechanism at rest, at the beginning of its motion, or in a mode at its largest."""
    from poinsot.app.scene.still import mode_picture, picture

    if mode is None:
        return picture(shown.mechanism, shown.moving, dark=dark)
    return mode_picture(_modes(shown.mechanism, mode), mode - 1, dark=dark)


def _modes(mechanism: Mechanism, count: int) -> Modes:
    if count < 1:
        raise PoinsotError(f"modes are counted from 1, not {count}")
    return poinsot.modes(mechanism, n=count)


def serve(
    shown: Shown,
    host: str = LOCAL,
    port: int = PORT,
    *,
    browser: bool = False,
    dark: bool = False,
    watch: bool = False,
    seconds: float | None = None,
) -> None:
    """Keep a page open until Ctrl-C."""
    from poinsot.app.scene.viser_package import server

    with server(host, port) as running:
        stage = furnish(running, shown, dark=dark, watch=watch, seconds=seconds)
        place = f"http://{'localhost' if host in (LOCAL, '0.0.0.0') else host}:{running.get_port()}"
        try:
            print(f"{shown.mechanism.name} is at {place}; Ctrl-C ends", flush=True)
            if host not in (LOCAL, "localhost", "::1"):
                print(f"everybody who can reach this machine on {host} can see and move it", flush=True)
            if browser:
                threading.Thread(target=_open, args=(place,), daemon=True).start()
            while True:
                time.sleep(0.2)
        except KeyboardInterrupt:
            print("closed", flush=True)
        finally:
            stage.close()


def _open(place: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(place)


def furnish(
    running: Any, shown: Shown, *, dark: bool = False, watch: bool = False, seconds: float | None = None
) -> Any:
    """Put picture and panels on a running server; gives the stage."""
    from poinsot.app.viewer.modes_panel import add_modes_panel
    from poinsot.app.viewer.motion_panel import add_motion_panel, start_player
    from poinsot.app.viewer.pose_panel import add_drag_panel, add_pose_panel
    from poinsot.app.viewer.result_panel import add_result_panel
    from poinsot.app.viewer.stage import open_stage
    from poinsot.app.viewer.studies import add_nominal, watch_study

    stage = open_stage(running, shown.mechanism, dark, shown.moving)
    if shown.result is not None:
        add_result_panel(stage, shown.result)
    player = start_player(stage)
    add_pose_panel(stage)
    add_drag_panel(stage)
    add_motion_panel(stage, player, shown.moving, seconds or 2.0)
    add_modes_panel(stage, player)
    if shown.nominal is not None:
        add_nominal(stage, player, shown.nominal, shown.moving)
    elif shown.study is not None:
        watch_study(stage, shown.study, at_once=watch)
    return stage
