"""Writes a PyTorch model into a .pt2 file, which Broch's model `exported` trains without Python.

    python broch_export.py MODULE:NAME --input 4x3x224x224 --loss cross_entropy -o model.pt2
    python broch_export.py MODULE:NAME --input "ids=4x128:int64<99" --input "labels=4x128:int64<99"

NAME is a function without arguments that returns a torch.nn.Module, a class that is one, or the
module itself. MODULE is found from the current folder, too.

--input [NAME=]SHAPE[:DTYPE][<BOUND]     once for each argument of forward
    SHAPE is that of an example, 4x3x224x224. Without a NAME, inputs are the arguments of forward in
    their order. DTYPE is float32 unless it is given; integers are drawn from 0 to BOUND - 1, or all
    are 0 without a BOUND.
--loss KIND[:OUTPUT]
    Makes the loss a part of the program, with a further argument `label` (or `target`):
    cross_entropy, mse, l1, huber, bce (binary cross entropy of logits). OUTPUT: a name or an index,
    where forward returns several. Without --loss, forward has to return the loss, or the manifest
    names one.

The first dimension of each input is the batch: any size from 2 on, the same for all. --static fixes
it, and --dynamic NAME=DIMENSION:SIZE makes more dimensions of any size; those with the same word
for SIZE are equal. The model is exported in training mode (--eval: as for inference); Broch itself
switches dropout and batch norm for its evaluation.

Needs PyTorch 2.6 or newer, and nothing else.
"""
import argparse
import importlib
import inspect
import os
import re
import sys

INPUT = re.compile(r"(?:(?P<name>\w+)=)?(?P<shape>\d+(?:x\d+)*|scalar)(?::(?P<dtype>\w+))?"
                   r"(?:<(?P<bound>\d+))?$")
LOSSES = {"cross_entropy": ("label", "cross_entropy"),
          "mse": ("target", "mse_loss"),
          "l1": ("target", "l1_loss"),
          "huber": ("target", "huber_loss"),
          "bce": ("target", "binary_cross_entropy_with_logits")}


def fail(text):
    sys.exit("broch_export: " + text)


def imported(name):
    sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not (name + ".").startswith(f"{error.name}."):
            raise  # the module was found, but not what it imports
        fail(f"found no module {error.name!r}, expected one in {os.getcwd()} or in a folder of "
             "PYTHONPATH")


def load(place):
    """The module that MODULE:NAME is or makes."""
    import torch

    module_name, _, name = place.partition(":")
    if not (module_name and name):
        fail(f"found {place!r}, expected MODULE:NAME, such as my_models:make_model")
    made = imported(module_name)
    for part in name.split("."):
        if not hasattr(made, part):
            fail(f"module {module_name} has no {name}")
        made = getattr(made, part)
    if not isinstance(made, torch.nn.Module):
        made = made()
    if not isinstance(made, torch.nn.Module):
        fail(f"{place} made a {type(made).__name__}, expected a torch.nn.Module")
    return made


def example(text):
    """The name and an example of an input."""
    import torch

    match = INPUT.match(text)
    if not match:
        fail(f"found --input {text!r}, expected [NAME=]SHAPE[:DTYPE][<BOUND], such as 4x128:int64<1000")
    shape = [] if match["shape"] == "scalar" else [int(size) for size in match["shape"].split("x")]
    dtype = getattr(torch, match["dtype"] or "float32", None)
    if not isinstance(dtype, torch.dtype):
        fail(f"--input {text!r}: torch has no dtype {match['dtype']!r}")
    if dtype.is_floating_point or dtype.is_complex:
        value = torch.randn(shape, dtype=dtype)
    elif dtype == torch.bool:
        value = torch.ones(shape, dtype=dtype)
    else:
        value = torch.randint(int(match["bound"] or 1), shape).to(dtype)
    return match["name"], value


def arguments_of(module):
    """Names of the arguments of forward."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [p.name for p in inspect.signature(module.forward).parameters.values() if p.kind in kinds]


def require_arguments(module, names):
    """forward takes each input and misses none. torch.export would say so after a traceback."""
    parameters, order = inspect.signature(module.forward).parameters, arguments_of(module)
    takes_all = any(p.kind == p.VAR_KEYWORD for p in parameters.values())
    for name in names:
        if names.count(name) > 1:
            fail(f"found --input {name} twice, expected one for each argument of forward")
        if name not in order and not takes_all:
            fail(f"found --input {name}, expected arguments of forward: {', '.join(order)}")
    missing = [name for name in order
               if name not in names and parameters[name].default is inspect.Parameter.empty]
    if missing:
        fail(f"found no --input for {', '.join(missing)}, expected one for each argument of "
             "forward")


def trial(model, names, inputs):
    """What the model returns. Its buffers stay: batch norm would count random numbers as data."""
    import torch

    before = {name: value.clone() for name, value in model.named_buffers()
              if not torch.nn.parameter.is_lazy(value)}
    with torch.no_grad():
        outputs = model(**dict(zip(names, inputs)))
        for name, value in model.named_buffers():
            old = before.get(name)
            if old is not None and old.shape == value.shape and not torch.equal(old, value):
                value.copy_(old)
    return outputs


def with_loss(model, loss, names, inputs):
    """A module whose forward also gets the target, and returns the loss and the output."""
    import torch

    kind, _, wanted = loss.partition(":")
    if kind not in LOSSES:
        fail(f"found --loss {kind!r}, expected one of {', '.join(LOSSES)}")
    target, function = LOSSES[kind]

    def pick(outputs):
        if isinstance(outputs, torch.Tensor):
            return outputs
        if isinstance(outputs, dict):
            return outputs[wanted] if wanted else next(iter(outputs.values()))
        if wanted and not wanted.isdigit():
            return getattr(outputs, wanted)
        return outputs[int(wanted or 0)]

    class WithLoss(torch.nn.Module):
        pass

    # torch.export wants arguments with names of their own.
    listed = ", ".join(names + [target])
    scope = {}
    exec(f"def forward(self, {listed}):\n"
         f"    output = self.pick(self.model({', '.join(f'{name}={name}' for name in names)}))\n"
         f"    return {{'loss': self.loss(output, {target}), 'output': output}}\n", scope)
    WithLoss.forward = scope["forward"]
    wrapped = WithLoss()
    wrapped.model = model
    wrapped.pick = pick
    wrapped.loss = getattr(torch.nn.functional, function)
    output = pick(trial(model, names, inputs))
    if kind == "cross_entropy":
        shape = output.shape[:1] + output.shape[2:]
        inputs = inputs + [torch.zeros(shape, dtype=torch.int64)]
    else:
        inputs = inputs + [torch.rand_like(output)]
    return wrapped, names + [target], inputs


class Prefix:
    """Keeps the names of a model that stands inside WithLoss."""

    def __init__(self, program, prefix):
        self.program, self.prefix = program, prefix

    def strip(self):
        def short(name):
            return name[len(self.prefix):] if name and name.startswith(self.prefix) else name
        for spec in self.program.graph_signature.input_specs:
            spec.target = short(spec.target)
        for spec in self.program.graph_signature.output_specs:
            spec.target = short(spec.target)
        for tensors in (self.program.state_dict, self.program.constants):
            for name in list(tensors):
                tensors[short(name)] = tensors.pop(name)


def shapes(names, inputs, static, dynamic):
    """The dynamic dimensions, as torch.export takes them."""
    import torch

    if static and not dynamic:
        return None
    batch = torch.export.Dim("batch", min=2)
    dims = {name: {} if static or value.dim() == 0 else {0: batch}
            for name, value in zip(names, inputs)}
    named = {}
    for text in dynamic:
        name, _, where = text.partition("=")
        dimension, _, word = where.partition(":")
        if name not in dims or not dimension.isdigit():
            fail(f"found --dynamic {text!r}, expected NAME=DIMENSION[:SIZE] with one of "
                 f"{', '.join(names)}")
        word = word or f"{name}_{dimension}"
        dims[name][int(dimension)] = named.setdefault(word, torch.export.Dim(word, min=2))
    return dims


def options_of(words):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODULE:NAME")
    parser.add_argument("--input", action="append", required=True)
    parser.add_argument("--loss")
    parser.add_argument("-o", "--output", default="model.pt2")
    parser.add_argument("--seed", type=int, default=0, help="of random weights")
    parser.add_argument("--static", action="store_true", help="the batch has the size of the example")
    parser.add_argument("--dynamic", action="append", default=[], metavar="NAME=DIMENSION:SIZE")
    parser.add_argument("--eval", action="store_true", help="export as for inference")
    parser.add_argument("--no-source", action="store_true",
                        help="leave out the paths and lines of the source, which errors name")
    parser.add_argument("--decompose", action="store_true",
                        help="write composite operators as those of the core set")
    options = parser.parse_args(words)
    folder = os.path.dirname(options.output) or "."
    if not os.access(folder, os.W_OK):  # to export may take minutes
        fail(f"--output {options.output}: found no folder {folder} that can be written")
    return options


def main(words=None):
    options = options_of(words)
    try:
        import torch
    except ImportError as error:
        fail(f"{error}; expected PyTorch, of version 2.6 or newer, for {sys.executable}")

    torch.manual_seed(options.seed)
    model = load(options.model)
    model.train(not options.eval)
    given = [example(text) for text in options.input]
    order = arguments_of(model)
    names = [name or (order[i] if i < len(order) else None) for i, (name, _) in enumerate(given)]
    if None in names:
        fail(f"found {len(given)} inputs, expected at most {len(order)}: {', '.join(order)}")
    require_arguments(model, names)
    inputs = [value for _, value in given]
    if options.loss:
        model, names, inputs = with_loss(model, options.loss, names, inputs)
        model.train(not options.eval)
    program = torch.export.export(model, (), kwargs=dict(zip(names, inputs)), strict=False,
                                  dynamic_shapes=shapes(names, inputs, options.static, options.dynamic))
    if options.decompose:
        program = program.run_decompositions()
    if options.loss:
        Prefix(program, "model.").strip()
    if options.no_source:
        for module in program.graph_module.modules():
            for node in module.graph.nodes:
                node.meta.pop("stack_trace", None)
    torch.export.save(program, options.output)
    count = sum(p.numel() for p in program.state_dict.values())
    print(f"{options.output}: inputs {', '.join(names)}; {len(program.state_dict)} tensors with "
          f"{count} elements")


if __name__ == "__main__":
    main()
