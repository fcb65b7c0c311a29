// job.cpp: from input files to an output file.
#include "weights/job.hpp"

#include <map>
#include <memory>
#include <set>

#include "base/new_file.hpp"
#include "base/text.hpp"

namespace broch::weights {
namespace {

namespace fs = std::filesystem;
using base::Exit;

// Throws before anything is read, which may take long.
Format output_format(const Job& job) {
  const fs::path file = job.output;
  if (!job.replace) base::require_new(file);
  if (job.format) return *job.format;
  if (const auto format = format_of(file)) return *format;
  base::fail(Exit::usage, file.string(), "an ending that names no format", ".safetensors or .npz",
             "choose another name, or add --format");
}

std::unique_ptr<Weights> opened(const Job& job, const std::string& input) {
  auto weights = open(input, job.key);
  if (job.others && !weights->others().empty()) job.others(input, *weights);
  return weights;
}

Written write(const Job& job, Format format, const std::vector<Item>& items) {
  save(job.output, format, items);
  Written written{items.size()};
  for (const Item& item : items) {
    written.elements += item.tensor.elements();
    written.bytes += item.bytes.size();
  }
  return written;
}

}  // namespace

Written convert(const Job& job, bool weights_only) {
  const Format format = output_format(job);
  const Rules rules(job.rules, "--", Exit::usage);
  const auto input = opened(job, job.inputs[0]);
  return write(job, format,
               select(*input, {&rules, job.dtype, weights_only, false}, job.inputs[0]));
}

Written average(const Job& job) {
  const Format format = output_format(job);
  const Rules rules(job.rules, "--", Exit::usage);
  Average average;
  for (const std::string& input : job.inputs) {
    const auto weights = opened(job, input);
    average.add(select(*weights, {&rules, std::nullopt, true, false}, input), input);
  }
  std::vector<Item> items = average.result();
  if (job.dtype) convert(items, *job.dtype);  // rounded once, at the end
  return write(job, format, items);
}

Written merge(const Job& job) {
  const Format format = output_format(job);
  const Rules rules(job.rules, "--", Exit::usage);
  std::vector<std::unique_ptr<Weights>> inputs;
  std::set<std::string> names;
  for (const std::string& input : job.inputs) {
    inputs.push_back(opened(job, input));
    for (const Tensor& tensor : inputs.back()->tensors()) names.insert(tensor.name);
  }
  rules.require_matches(names);
  std::vector<Item> all;
  std::map<std::string, std::string> input_of;
  for (size_t i = 0; i < inputs.size(); ++i)
    for (Item& item : select(*inputs[i], {&rules, job.dtype, false, true}, job.inputs[i])) {
      const auto [at, is_new] = input_of.emplace(item.tensor.name, job.inputs[i]);
      if (!is_new)
        base::fail(Exit::checkpoint, job.inputs[i],
                   base::quoted(item.tensor.name) + ", which " + at->second + " has, too",
                   "different names in the files",
                   "rename it first with broch ckpt convert, or leave it out with --exclude");
      all.push_back(std::move(item));
    }
  return write(job, format, all);
}

}  // namespace broch::weights
