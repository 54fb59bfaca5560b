#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Digits of SciPy's Radau and DOP853 on the test set for initial value problems: the numbers beside radau and dop853 in
the figure ivp_testset. The equations are written here anew, so that they also check trill's models.

  tools/ivp_testset.py PROBLEM [Radau|DOP853]      no problem: all (an hour)

The ends to compare with are those of src/papers/ivp_testset_problems.cpp, read from there."""
import re
import sys
from pathlib import Path

import numpy as np
from numpy import cos, exp, pi, sin, sqrt
from scipy.integrate import solve_ivp
from scipy.linalg import solve_banded

TOLERANCES = (1e-4, 1e-6, 1e-8)
SCALE = 1e-3  # atol/rtol; errors are relative to |y| + SCALE


def hires(t, y):
    a = 280 * y[5] * y[7]
    return [-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1],
            -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4], 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
            -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6],
            -a + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6], a - 1.81 * y[6], -a + 1.81 * y[6]]


def oregonator(t, y):
    return [77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1])), (y[2] - (1 + y[0]) * y[1]) / 77.27,
            0.161 * (y[0] - y[2])]


def e5(t, y):  # amounts in units of 1e-24
    a, b, c, m, unit = 7.89e-10, 1.1e7, 1.13e3, 1e6, 1e-24
    y1, y2, y4 = y
    y3 = y2 - y4
    return [-y1 * (a + b * unit * y3), a * y1 - m * c * unit * y2 * y3, b * unit * y1 * y3 - c * y4]


RATES = np.array([0.35, 26.6, 12300, 0.86e-3, 0.82e-3, 15000, 0.13e-3, 24000, 16500, 9000, 0.022, 12000, 1.88, 16300, 4.8e6,
                  0.35e-3, 0.0175, 1e8, 4.44e11, 1240, 2.1, 5.78, 0.0474, 1780, 3.12])


def pollution(t, y):
    y = np.concatenate([[0], y])
    r = np.concatenate([[0], RATES * np.array([
        y[1], y[2] * y[4], y[5] * y[2], y[7], y[7], y[7] * y[6], y[9], y[9] * y[6], y[11] * y[2], y[11] * y[1], y[13],
        y[10] * y[2], y[14], y[1] * y[6], y[3], y[4], y[4], y[16], y[16], y[17] * y[6], y[19], y[19], y[1] * y[4],
        y[19] * y[1], y[20]])])
    return [-r[1] - r[10] - r[14] - r[23] - r[24] + r[2] + r[3] + r[9] + r[11] + r[12] + r[22] + r[25],
            -r[2] - r[3] - r[9] - r[12] + r[1] + r[21], -r[15] + r[1] + r[17] + r[19] + r[22],
            -r[2] - r[16] - r[17] - r[23] + r[15], -r[3] + 2 * r[4] + r[6] + r[7] + r[13] + r[20],
            -r[6] - r[8] - r[14] - r[20] + r[3] + 2 * r[18], -r[4] - r[5] - r[6] + r[13], r[4] + r[5] + r[6] + r[7],
            -r[7] - r[8], -r[12] + r[7] + r[9], -r[9] - r[10] + r[8] + r[11], r[9], -r[11] + r[10], -r[13] + r[12], r[14],
            -r[18] - r[19] + r[16], -r[20], r[20], -r[21] - r[22] - r[24] + r[23] + r[25], -r[25] + r[24]]


def ring_modulator(t, y):
    c, cs, cp, r, rp, lh, ls1, ls2, ls3 = 1.6e-8, 2e-12, 1e-8, 25e3, 50, 4.45, 2e-3, 5e-4, 5e-4
    rg1, rg2, rg3, ri, rc, gamma, delta = 36.3, 17.3, 17.3, 50, 600, 40.67286402e-9, 17.7493332
    u1, u2 = 0.5 * sin(2e3 * pi * t), 2 * sin(2e4 * pi * t)
    d1 = gamma * (exp(delta * (y[2] - y[4] - y[6] - u2)) - 1)
    d2 = gamma * (exp(delta * (-y[3] + y[5] - y[6] - u2)) - 1)
    d3 = gamma * (exp(delta * (y[3] + y[4] + y[6] + u2)) - 1)
    d4 = gamma * (exp(delta * (-y[2] - y[5] + y[6] + u2)) - 1)
    return [(y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / r) / c,
            (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / r) / c,
            (y[9] - d1 + d4) / cs, (-y[10] + d2 - d3) / cs, (y[11] + d1 - d3) / cs, (-y[12] - d2 + d4) / cs,
            (-y[6] / rp + d1 + d2 - d3 - d4) / cp, -y[0] / lh, -y[1] / lh, (0.5 * y[0] - y[2] - rg2 * y[9]) / ls2,
            (-0.5 * y[0] + y[3] - rg3 * y[10]) / ls3, (0.5 * y[1] - y[4] - rg2 * y[11]) / ls2,
            (-0.5 * y[1] + y[5] - rg3 * y[12]) / ls3, (-y[0] + u1 - (ri + rg1) * y[13]) / ls1,
            (-y[1] - (rc + rg1) * y[14]) / ls1]


def pleiades(t, y):
    dx, dy = y[None, :7] - y[:7, None], y[None, 7:14] - y[7:14, None]
    w = np.arange(1, 8) / (dx**2 + dy**2 + np.eye(7))**1.5
    return np.concatenate([y[14:], (w * dx).sum(1), (w * dy).sum(1)])


# Constrained motions are solved as ordinary differential equations, with the constraints differentiated twice.
def fekete(t, y):
    p, v = y[:60].reshape(20, 3), y[60:].reshape(20, 3)
    d = p[:, None] - p[None]
    f = (d / ((d**2).sum(2) + np.eye(20))[:, :, None]).sum(1) - 0.5 * v
    multiplier = -((p * f).sum(1) + (v * v).sum(1)) / (p * p).sum(1)
    return np.concatenate([y[60:], (f + multiplier[:, None] * p).ravel()])


def fekete_start():
    points = []
    for count, turn, latitude in ((3, 13, 3 * pi / 8), (7, 29, pi / 8), (6, 7, -2 * pi / 15), (4, 17, -3 * pi / 10)):
        for i in range(count):
            longitude = 2 * pi * (i + (count != 4)) / count + pi / turn
            points += [cos(longitude) * cos(latitude), sin(longitude) * cos(latitude), sin(latitude)]
    return points + 60 * [0]


def car_axis(t, y):
    mass, rest, gravity = 10 * 1e-4 / 2, 0.5, 1
    yb, yb1, yb2 = 0.1 * sin(10 * t), cos(10 * t), -10 * sin(10 * t)
    xb = sqrt(1 - yb**2)
    xb1 = -yb * yb1 / xb
    xb2 = -(yb1**2 + yb * yb2 + xb1**2) / xb
    xl, yl, xr, yr, a, b, c, d = y
    left, right = sqrt(xl**2 + yl**2), sqrt((xr - xb)**2 + (yr - yb)**2)
    f = np.array([(rest - left) * xl / left, (rest - left) * yl / left - mass * gravity, (rest - right) * (xr - xb) / right,
                  (rest - right) * (yr - yb) / right - mass * gravity])
    G = np.array([[xb, yb, 0, 0], 2 * np.array([xl - xr, yl - yr, xr - xl, yr - yl])])
    eta = np.array([2 * (a * xb1 + b * yb1) + xl * xb2 + yl * yb2, 2 * ((a - c)**2 + (b - d)**2)])
    multipliers = np.linalg.solve(G @ G.T / mass, -eta - G @ f / mass)
    return np.concatenate([y[4:], (f + G.T @ multipliers) / mass])


def elastic_beam(t, y):
    n = 40
    theta, v = y[:n], y[n:]
    load = 1.5 * sin(t)**2 if t < pi else 0
    e = np.concatenate([[-theta[0]], theta, [theta[-1]]])
    f = n**4 * (e[:-2] - 2 * theta + e[2:]) + n**2 * load * (cos(theta) + sin(theta))
    s, c = sin(np.diff(theta)), cos(np.diff(theta))
    band = np.zeros((3, n))
    band[1], band[0, 1:], band[2, :-1] = 2, -c, -c
    band[1, 0], band[1, -1] = 1, 3
    w = v * v
    w[:-1] += s * f[1:]
    w[1:] -= s * f[:-1]
    w = solve_banded((1, 1), band, w)
    u = band[1] * f
    u[:-1] += s * w[1:] - c * f[1:]
    u[1:] -= s * w[:-1] + c * f[:-1]
    return np.concatenate([v, u])


# Andrews' squeezing mechanism as seven bars (x, y, angle) and ten pins.
BETA, GAMMA, PHI, DELTA, EPSILON = (-0.0617138900142764496358948458001, 0.455279819163070380255912382449,
                                    0.222668390165885884674473185609, 0.487364979543842550225598953530,
                                    1.23054744454982119249735015568)
A, B = (-0.06934, -0.00227), (-0.03635, 0.03273)
ANGLES = [BETA, BETA, GAMMA, PHI + DELTA, DELTA, EPSILON - PHI, EPSILON]
MASSES = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498]
INERTIAS = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5]
INVERSE = 1 / np.array([x for m, i in zip(MASSES, INERTIAS) for x in (m, m, i)])
HOOK = (0.02 - 0.01043, 0.01874 - 0.018)
# Each end of a pin is (bar, point on it) or a point of the ground.
PINS = [((0, 0), (0, (-0.00092, 0))), ((0, (0.007 - 0.00092, 0)), (1, (0.0115, 0))), (B, (2, (-0.01043, 0.01874))),
        ((1, (0.0115 - 0.028, 0)), (2, (-0.01043, 0.01874 - 0.035))), (A, (4, (-0.00916, -0.02308))),
        ((4, (0.04 - 0.00916, -0.02308)), (3, (0, 0.02 - 0.01421))), ((1, (0.0115 - 0.028, 0)), (3, (0, -0.01421))),
        (A, (6, (-0.00449, 0.01228))), ((6, (-0.00449, 0.01228 - 0.04)), (5, (0.01421 - 0.02, 0))),
        ((1, (0.0115 - 0.028, 0)), (5, (0.01421, 0)))]


def turned(angle, point):
    return np.array([cos(angle) * point[0] - sin(angle) * point[1], sin(angle) * point[0] + cos(angle) * point[1]])


def squeezer_start():
    q = {}
    for start, (bar, point) in PINS:
        if bar in q:
            continue
        if isinstance(start[1], tuple):
            start = q[start[0]] + turned(ANGLES[start[0]], start[1])
        q[bar] = np.array(start) - turned(ANGLES[bar], point)
    return [x for k in range(7) for x in (*q[k], ANGLES[k])] + 21 * [0]


def squeezer(t, y):
    q, v = y[:21], y[21:]
    G, eta, f = np.zeros((20, 21)), np.zeros(20), np.zeros(21)
    for k, pin in enumerate(PINS):
        for sign, end in zip((-1, 1), pin):
            if not isinstance(end[1], tuple):
                continue
            bar = end[0]
            x, z = turned(q[3 * bar + 2], end[1])
            G[2 * k:2 * k + 2, 3 * bar:3 * bar + 3] += sign * np.array([[1, 0, -z], [0, 1, x]])
            eta[2 * k:2 * k + 2] -= sign * v[3 * bar + 2]**2 * np.array([x, z])
    x, z = turned(q[8], HOOK)
    dx, dz = q[6] + x - 0.014, q[7] + z - 0.072
    length = sqrt(dx**2 + dz**2)
    pull = -4530 * (length - 0.07785) / length
    f[2], f[6:9] = 0.033, pull * np.array([dx, dz, dz * x - dx * z])
    multipliers = np.linalg.solve((G * INVERSE) @ G.T, -eta - (G * INVERSE) @ f)
    return np.concatenate([v, INVERSE * (f + G.T @ multipliers)])


# The equations of the transistor amplifier for the voltages of its five capacitors. The potentials of the nodes
# between them follow from Kirchhoff's law.
def node(f, slope, guess):
    for _ in range(400):
        step = f(guess) / slope(guess)
        guess -= max(-1, min(1, step))
        if abs(step) < 1e-14:
            break
    return guess


GUESS = [0.0, 6.0]


def amplifier_nodes(t, z):
    supply, thermal, gain, saturation, R0, R = 6, 0.026, 0.99, 1e-6, 1000, 9000
    current = lambda u: saturation * (exp(min(u / thermal, 700)) - 1)
    slope = lambda u: saturation * exp(min(u / thermal, 700)) / thermal
    signal = 0.1 * sin(200 * pi * t)
    u1 = GUESS[0] = node(
        lambda u: (signal - u) / R0 + (supply - 2 * (u - z[0])) / R - (1 - gain) * current(u - z[0] - z[1]),
        lambda u: -1 / R0 - 2 / R - (1 - gain) * slope(u - z[0] - z[1]), GUESS[0])
    first = current(u1 - z[0] - z[1])
    u4 = GUESS[1] = node(
        lambda u: (supply - u) / R - gain * first + (supply - 2 * (u - z[2])) / R - (1 - gain) * current(u - z[2] - z[3]),
        lambda u: -3 / R - (1 - gain) * slope(u - z[2] - z[3]), GUESS[1])
    second = current(u4 - z[2] - z[3])
    u8 = (supply - z[4] - R * gain * second) / 2
    return np.array([u1, u1 - z[0], z[1], u4, u4 - z[2], z[3], u8 + z[4], u8]), first, second, signal


def transistor_amplifier(t, z):
    C, R, R0 = 1e-6, 9000, 1000
    u, first, second, signal = amplifier_nodes(t, z)
    return [(signal - u[0]) / R0 / C, (first - u[2] / R) / (2 * C), ((6 - u[3]) / R - 0.99 * first) / (3 * C),
            (second - u[5] / R) / (4 * C), ((6 - u[6]) / R - 0.99 * second) / (5 * C)]


def pollution_start():
    y = np.zeros(20)
    y[[1, 3, 6, 7, 8, 16]] = 0.2, 0.04, 0.1, 0.3, 0.01, 0.007
    return y


PLEIADES = [3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0]
# For each problem: the start, the final time, and what is compared.
PROBLEMS = {
    hires: ([1, 0, 0, 0, 0, 0, 0, 0.0057], 321.8122, lambda y: y),
    oregonator: ([1, 2, 3], 360, lambda y: y),
    e5: ([1.76e21, 0, 0], 1e13, lambda y: y),
    pollution: (pollution_start(), 60, lambda y: y),
    ring_modulator: (np.zeros(15), 1e-3, lambda y: y),
    transistor_amplifier: ([-3, 3, 3, 3, 6], 0.2, lambda z: amplifier_nodes(0.2, z)[0]),
    pleiades: (PLEIADES, 3, lambda y: y[:14]),
    fekete: (fekete_start(), 1000, lambda y: y[:60]),
    car_axis: ([0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0], 3, lambda y: y[:4]),
    squeezer: (squeezer_start(), 0.03, lambda y: y[2:21:3]),
    elastic_beam: (np.zeros(80), 5, lambda y: y[:40]),
}
STIFF = {oregonator, e5, pollution, ring_modulator, transistor_amplifier}  # these are not solved by DOP853


def published_end(name):
    text = (Path(__file__).parent / "../src/papers/ivp_testset_problems.cpp").read_text()
    numbers = re.search(r'"%s",\s*\{([^}]*)\}' % name, text).group(1)
    return np.array([float(x) for x in numbers.split(",")])


def digits(problem, method, rtol):
    start, to, compared = PROBLEMS[problem]
    with np.errstate(over="ignore"):
        end = solve_ivp(problem, (0, to), start, method=method, rtol=rtol, atol=SCALE * rtol, t_eval=[to])
    if not end.success:
        return 0
    exact = published_end(problem.__name__)
    return max(0, -np.log10(np.max(np.abs(compared(end.y[:, -1]) - exact) / (np.abs(exact) + SCALE))))


for problem in PROBLEMS:
    if len(sys.argv) > 1 and problem.__name__ != sys.argv[1]:
        continue
    for method in ("Radau", "DOP853"):
        if (method == "DOP853" and problem in STIFF) or (len(sys.argv) > 2 and method != sys.argv[2]):
            continue
        print(problem.__name__, method, *("%.2f" % digits(problem, method, rtol) for rtol in TOLERANCES), flush=True)
