// restore.cpp: loads variables from a file before training. tensorpack: `SaverRestore`,
// `SaverRestoreRelaxed`, `DictRestore`, `SmartInit`.
#include <broch/broch.hpp>

namespace {

class Restore final : public broch::SessionInit {
 public:
  explicit Restore(const broch::Host& host)
      : checkpoints_(host), path_(broch::Config(host).string("/path")) {
    // All options but the path are those of broch.checkpoint/1 restore.
    const broch::Config config(host);
    for (const char* name : {"prefix", "key", "rename", "ignore", "include", "exclude", "transpose",
                             "convert", "strict", "relaxed"})
      options_ += (options_.empty() ? "{" : ",") + broch::json_text(name) + ":" +
                  config.json("/" + std::string(name));
    options_ += "}";
  }

  void init() override { checkpoints_.restore(path_, options_); }

 private:
  broch::Checkpoints checkpoints_;
  std::string path_, options_;
};

}  // namespace

BROCH_SESSION_INIT(Restore, "broch.session_init.restore", "1.0.0",
                   "Loads variables from a checkpoint or other weights before training.", R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "x-broch-path": true,
             "description": "A checkpoint, .safetensors, .npz, .pt2, or a state dict of torch.save; a log folder (its newest checkpoint), or a folder with model.safetensors, *.index.json or pytorch_model.bin."},
    "key": {"type": ["string", "null"], "default": null,
            "description": "The way to the state dict in a file of torch.save, such as model or models/generator; null: the only one."},
    "prefix": {"type": ["string", "null"], "default": null,
               "description": "Load variable prefix/x from x in the file."},
    "rename": {"type": "array", "default": [],
               "items": {"type": "object", "required": ["from", "to"], "additionalProperties": false,
                         "properties": {
                           "from": {"type": "string", "minLength": 1,
                                    "description": "A regular expression for a part of a name."},
                           "to": {"type": "string",
                                  "description": "What takes its place; $1 is the first group."}}},
               "description": "Rules that make the model's names of the file's, applied in order, such as {\"from\": \"^module[.]\", \"to\": \"\"}."},
    "ignore": {"type": "array", "items": {"type": "string"}, "default": [],
               "description": "Names in the file that are not loaded."},
    "include": {"type": "array", "items": {"type": "string", "minLength": 1}, "default": [],
                "description": "Load only names in the file that one of these regular expressions matches as a whole; []: everything, including global_step and hyper-parameters."},
    "exclude": {"type": "array", "items": {"type": "string", "minLength": 1}, "default": [],
                "description": "Do not load names that one of these matches, for example learning_rate or fc/.*"},
    "transpose": {"type": "array", "items": {"type": "string", "minLength": 1}, "default": [],
                  "description": "Names in the file whose last two dimensions come first, swapped: (in, out) becomes (out, in), and (height, width, in, out) becomes (out, in, height, width); tensorflow stands for the kernels of its dense layers and convolutions."},
    "convert": {"type": "boolean", "default": false,
                "description": "Convert to floats with fewer digits, too; conversions that lose nothing are always made."},
    "strict": {"enum": ["all", "shapes", "none"], "default": "shapes",
               "description": "all: names, shapes and types must be the model's; shapes: warn about other names; none: also reshape, round, and skip a variable with another number of elements, with a warning."},
    "relaxed": {"type": "boolean", "default": false,
                "description": "The same as \"strict\": \"none\"."}
  },
  "required": ["path"],
  "additionalProperties": false
})")
