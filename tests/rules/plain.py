"""Update rules in plain Python, from the papers and PyTorch's documentation.

Each takes the weights of a variable, their gradients, the number of the update from 1 on and a
dictionary of what the rule keeps, and returns new weights. Defaults are the program's.
"""
import math


def root_mean_square(values):
    return math.sqrt(sum(x * x for x in values) / len(values))


def sgd(w, g, t, state, rate):
    return [a - rate * b for a, b in zip(w, g)]


def lion(w, g, t, state, rate, beta1, beta2, decay):
    mean = state.setdefault("mean", [0.0] * len(w))
    signs = [(c > 0) - (c < 0) for c in (beta1 * m + (1 - beta1) * b for m, b in zip(mean, g))]
    state["mean"] = [beta2 * m + (1 - beta2) * b for m, b in zip(mean, g)]
    return [a - rate * (s + decay * a) for a, s in zip(w, signs)]


def lamb(w, g, t, state, rate, beta1, beta2, epsilon, decay):
    mean = state.setdefault("mean", [0.0] * len(w))
    squares = state.setdefault("squares", [0.0] * len(w))
    mean = state["mean"] = [beta1 * m + (1 - beta1) * b for m, b in zip(mean, g)]
    squares = state["squares"] = [beta2 * v + (1 - beta2) * b * b for v, b in zip(squares, g)]
    direction = [m / (1 - beta1**t) / (math.sqrt(v / (1 - beta2**t)) + epsilon) + decay * a
                 for m, v, a in zip(mean, squares, w)]
    lengths = [math.sqrt(sum(x * x for x in values)) for values in (w, direction)]
    trust = lengths[0] / lengths[1] if lengths[0] > 0 and lengths[1] > 0 else 1
    return [a - rate * trust * d for a, d in zip(w, direction)]


def lookahead(w, g, t, state, inner, k, alpha):
    slow = state.setdefault("slow", list(w))
    fast = inner(w, g, t, state)
    if t % k:
        return fast
    state["slow"] = [a + alpha * (b - a) for a, b in zip(slow, fast)]
    return state["slow"]


def adafactor(w, g, t, state, width, rate=0.01, power=0.8, eps1=1e-30, eps2=1e-3, clip=1, decay=0):
    """width: of a row of a matrix; 0: a vector. Algorithms 4 and 5 of the paper."""
    beta2 = 1 - t**-power
    squares = [x * x + eps1 for x in g]
    if width:
        rows = [sum(squares[i:i + width]) for i in range(0, len(w), width)]
        columns = [sum(squares[i::width]) for i in range(width)]
        for name, now in ("rows", rows), ("columns", columns):
            old = state.get(name, [0.0] * len(now))
            state[name] = [beta2 * a + (1 - beta2) * b for a, b in zip(old, now)]
        squares = [a * b / sum(state["rows"]) for a in state["rows"] for b in state["columns"]]
    else:
        old = state.get("squares", [0.0] * len(w))
        squares = state["squares"] = [beta2 * a + (1 - beta2) * b for a, b in zip(old, squares)]
    direction = [a / math.sqrt(b) for a, b in zip(g, squares)]
    direction = [x / max(1, root_mean_square(direction) / clip) for x in direction]
    step = max(eps2, root_mean_square(w)) * min(rate, 1 / math.sqrt(t))
    return [a * (1 - rate * decay) - step * b for a, b in zip(w, direction)]


def moments(g, state, beta1, beta2):
    """Adam's means of gradients and of their squares."""
    mean, squares = (state.get(name, [0.0] * len(g)) for name in ("mean", "squares"))
    state["mean"] = [beta1 * m + (1 - beta1) * b for m, b in zip(mean, g)]
    state["squares"] = [beta2 * v + (1 - beta2) * b * b for v, b in zip(squares, g)]
    return state["mean"], state["squares"]


def adadelta(w, g, t, state, rate=1, rho=0.9, eps=1e-6, decay=0):
    squares, moved = (state.get(name, [0.0] * len(w)) for name in ("squares", "moved"))
    g = [b + decay * a for a, b in zip(w, g)]
    squares = state["squares"] = [rho * v + (1 - rho) * b * b for v, b in zip(squares, g)]
    step = [math.sqrt(u + eps) / math.sqrt(v + eps) * b for u, v, b in zip(moved, squares, g)]
    state["moved"] = [rho * u + (1 - rho) * d * d for u, d in zip(moved, step)]
    return [a - rate * d for a, d in zip(w, step)]


def adamax(w, g, t, state, rate=2e-3, beta1=0.9, beta2=0.999, eps=1e-8, decay=0):
    mean, largest = (state.get(name, [0.0] * len(w)) for name in ("mean", "largest"))
    g = [b + decay * a for a, b in zip(w, g)]
    mean = state["mean"] = [beta1 * m + (1 - beta1) * b for m, b in zip(mean, g)]
    largest = state["largest"] = [max(beta2 * u, abs(b) + eps) for u, b in zip(largest, g)]
    return [a - rate / (1 - beta1**t) * m / u for a, m, u in zip(w, mean, largest)]


def decayed(w, g, rate, decay, decoupled):
    if decoupled:
        return [a * (1 - rate * decay) for a in w], g
    return w, [b + decay * a for a, b in zip(w, g)]


def adam(w, g, t, state, rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, decay=0, amsgrad=False,
         decoupled=False):
    w, g = decayed(w, g, rate, decay, decoupled)
    mean, squares = moments(g, state, beta1, beta2)
    if amsgrad:
        squares = state["largest"] = list(map(max, state.get("largest", squares), squares))
    roots = [math.sqrt(v / (1 - beta2**t)) + eps for v in squares]
    return [a - rate / (1 - beta1**t) * m / r for a, m, r in zip(w, mean, roots)]


def adamw(*update, decay=1e-2, **more):
    return adam(*update, decay=decay, decoupled=True, **more)


def nadam(w, g, t, state, rate=2e-3, beta1=0.9, beta2=0.999, eps=1e-8, momentum_decay=4e-3,
          decay=0, decoupled=False):
    w, g = decayed(w, g, rate, decay, decoupled)
    now, later = (beta1 * (1 - 0.5 * 0.96**(k * momentum_decay)) for k in (t, t + 1))
    product = state["product"] = state.get("product", 1) * now
    mean, squares = moments(g, state, beta1, beta2)
    roots = [math.sqrt(v / (1 - beta2**t)) + eps for v in squares]
    return [a - rate * ((1 - now) / (1 - product) * b + later / (1 - product * later) * m) / r
            for a, b, m, r in zip(w, g, mean, roots)]


def radam(w, g, t, state, rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, decay=0, decoupled=False):
    w, g = decayed(w, g, rate, decay, decoupled)
    mean, squares = moments(g, state, beta1, beta2)
    most = 2 / (1 - beta2) - 1
    now = most - 2 * t * beta2**t / (1 - beta2**t)
    if now <= 5:
        return [a - rate * m / (1 - beta1**t) for a, m in zip(w, mean)]
    factor = math.sqrt((now - 4) * (now - 2) * most / ((most - 4) * (most - 2) * now))
    return [a - rate * factor * m / (1 - beta1**t) * math.sqrt(1 - beta2**t) / (math.sqrt(v) + eps)
            for a, m, v in zip(w, mean, squares)]
