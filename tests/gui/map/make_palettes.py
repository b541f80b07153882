"""Make the colours of `toolplanner_gui/map/toolkit_colours.py`: run by hand, prints the two tuples.

glasbey makes a pool of colours far apart for normal sight; from it the set is chosen whose nearest
pair is the farthest, counted for normal sight and for three kinds of colour blindness at once
(glasbey itself knows only one kind at a time). Run: `python tests/gui/map/make_palettes.py`.
"""

import sys

import numpy as np
from fixtures.contrast import contrast

from toolplanner_gui.theme.tokens import DARK, LIGHT

KINDS = ("deuteranomaly", "protanomaly", "tritanomaly")
NORMAL_TARGET, BLIND_TARGET = 15.0, 8.0


def to_lab(rgb, kind=None):
    """CIELAB of `(n, 3)` colours 0 to 1, as seen with full colour blindness of a kind."""
    from colorspacious import cspace_convert

    if kind:
        space = {"name": "sRGB1+CVD", "cvd_type": kind, "severity": 100}
        rgb = np.clip(cspace_convert(rgb, space, "sRGB1"), 0, 1)
    return cspace_convert(rgb, "sRGB1", "CIELab")


def ciede2000(first, second):
    """CIEDE2000 of CIELAB colours `(..., 3)`. Source: Sharma, Wu, Dalal 2005, equations 2 to 22."""
    l1, a1, b1 = np.moveaxis(np.asarray(first, float), -1, 0)
    l2, a2, b2 = np.moveaxis(np.asarray(second, float), -1, 0)
    chroma = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(chroma**7 / (chroma**7 + 25.0**7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180
    grey = c1 * c2 == 0
    turn = np.where(grey, 0, turn)
    d_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn) / 2)
    light, c = (l1 + l2) / 2, (c1 + c2) / 2
    hue = np.where(grey, h1 + h2, (h1 + turn / 2) % 360)
    t = (
        1
        - 0.17 * np.cos(np.radians(hue - 30))
        + 0.24 * np.cos(np.radians(2 * hue))
        + 0.32 * np.cos(np.radians(3 * hue + 6))
        - 0.20 * np.cos(np.radians(4 * hue - 63))
    )
    s_l = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    s_c, s_h = 1 + 0.045 * c, 1 + 0.015 * c * t
    r_t = -np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2)))) * 2
    r_t = r_t * np.sqrt(c**7 / (c**7 + 25.0**7))
    d_l, d_c, d_h = (l2 - l1) / s_l, (c2 - c1) / s_c, d_hue / s_h
    return np.sqrt(np.maximum(d_l**2 + d_c**2 + d_h**2 + r_t * d_c * d_h, 0))


def differences(rgb, kind=None):
    """CIEDE2000 between all pairs, `(n, n)`."""
    lab = to_lab(rgb, kind)
    return ciede2000(lab[:, None], lab[None, :])


def score(rgb):
    """How far each pair is apart, as a share of what is asked, at its worst sight."""
    parts = [differences(rgb) / NORMAL_TARGET]
    parts += [differences(rgb, kind) / BLIND_TARGET for kind in KINDS]
    return np.min(parts, axis=0)


def choose(pool, count, seed=0):
    """`count` of the pool, the nearest pair as far as can be: random starts, then exchanges."""
    apart = score(pool)
    np.fill_diagonal(apart, np.inf)
    rng = np.random.default_rng(seed)
    best, best_worth = np.arange(count), 0.0
    for _ in range(400):
        chosen = [int(rng.integers(len(pool)))]
        while len(chosen) < count:
            far = apart[chosen].min(axis=0) * rng.uniform(0.8, 1, len(pool))
            far[chosen] = 0
            chosen.append(int(np.argmax(far)))
        for _ in range(40):
            inside = apart[np.ix_(chosen, chosen)]
            worst = int(np.argmin(inside.min(axis=0)))
            rest = chosen[:worst] + chosen[worst + 1 :]
            gains = apart[rest].min(axis=0)
            gains[rest] = 0
            new = int(np.argmax(gains))
            if gains[new] <= inside.min() + 1e-9:
                break
            chosen[worst] = new
        worth = apart[np.ix_(chosen, chosen)].min()
        if worth > best_worth:
            best, best_worth = np.array(chosen), worth
    return best, best_worth


def main():
    """Print the palettes with the distance of their nearest pairs."""
    from glasbey import create_palette  # pyright: ignore[reportMissingImports] - of whoever runs it

    for tokens, lightness, chroma in ((DARK, (48, 82), (16, 50)), (LIGHT, (32, 68), (30, 68))):
        pool = []
        for kind in KINDS:
            pool += create_palette(
                160, grid_size=32, grid_space="JCh",
                lightness_bounds=lightness, chroma_bounds=chroma,
                colorblind_safe=True, cvd_type=kind, cvd_severity=100, optimize_palette=False,
            )  # fmt: skip
        pool = [c for c in dict.fromkeys(pool) if contrast(c, tokens.map) >= 3]
        rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in pool])
        count = int(sys.argv[1]) if len(sys.argv) > 1 else 12
        chosen, worth = choose(rgb, count)
        lab = to_lab(rgb[chosen])
        chosen = chosen[np.argsort(np.arctan2(lab[:, 2], lab[:, 1]))]
        print(
            tokens.name, len(pool), "nearest pair as a share of the target:", round(float(worth), 2)
        )
        for kind in (None, *KINDS):
            apart = differences(rgb[chosen], kind)
            np.fill_diagonal(apart, 999)
            print("  ", kind or "normal", round(float(apart.min()), 1))
        print("  ", tuple(pool[i] for i in chosen))


if __name__ == "__main__":
    main()
