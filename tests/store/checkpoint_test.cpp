// checkpoint_test.cpp: what a checkpoint keeps, and what happens when it cannot be read.
#include "store/checkpoint.hpp"

#include "store/checkpoint_list.hpp"
#include "support.hpp"

using namespace broch::store;
using broch::base::Exit;

namespace {

void flip_last_bit(const std::string& file) {
  std::string bytes = read_file(file);
  bytes.back() ^= 1;
  write_file(file, bytes);
}

}  // namespace

TEST_CASE("checkpoint: variables, collections, states, cursors, counters and metadata come back") {
  const Folder folder;
  const Sample sample(2700);
  const auto path = write_checkpoint(folder.path(), checkpoint_name(2700), sample.contents);
  CHECK(path == folder / "model-2700.safetensors");
  const Checkpoint checkpoint = read_checkpoint(path);
  const CheckpointContents& contents = checkpoint.contents;
  CHECK(sample_step(checkpoint) == 2700);
  REQUIRE(contents.variables.size() == 3);
  for (const SavedVariable& variable : contents.variables) {
    const auto original =
        std::ranges::find(sample.contents.variables, variable.value.name,
                          [](const SavedVariable& other) { return other.value.name; });
    REQUIRE(original != sample.contents.variables.end());
    CHECK(variable.collections == original->collections);
    CHECK(variable.value.shape == original->value.shape);
    CHECK(std::ranges::equal(variable.value.bytes, original->value.bytes));
  }
  REQUIRE(contents.states.size() == 1);
  CHECK(contents.states[0].instance == "saver");
  CHECK(contents.states[0].component == "broch.callback.min-saver");
  CHECK(contents.states[0].version == 3);
  CHECK(std::ranges::equal(contents.states[0].bytes, bytes_of(sample.state)));
  CHECK(std::ranges::equal(contents.cursors.at("dataflow"), bytes_of(sample.cursor)));
  CHECK(contents.counters == sample.contents.counters);
  CHECK(contents.metadata == sample.contents.metadata);
}

TEST_CASE("checkpoint: saving what was read gives the same bytes") {
  const Folder folder;
  const Sample sample;
  const auto first = write_checkpoint(folder.path(), "model-1", sample.contents);
  const Checkpoint read = read_checkpoint(first);
  const auto second = write_checkpoint(folder.path(), "model-2", read.contents);
  CHECK(read_file(first) == read_file(second));
}

TEST_CASE("checkpoint: the writer refuses reserved names and variables without one scope") {
  const Folder folder;
  const auto refused = [&](const std::function<void(CheckpointContents&)>& change) {
    Sample sample;
    change(sample.contents);
    return refusal(Exit::data, [&] { write_checkpoint(folder.path(), "m", sample.contents); });
  };
  CHECK(matches(refused([](auto& c) { c.variables[0].value.name = "broch.state/x"; }),
                "does not start with 'broch\\.'"));
  CHECK(matches(refused([](auto& c) { c.metadata["broch.x"] = ""; }), "does not start with"));
  CHECK(matches(refused([](auto& c) { c.variables[0].collections = {"TRAINABLE"}; }),
                "variable 'conv/W' in 'TRAINABLE', expected one of GLOBAL and LOCAL"));
  CHECK(matches(refused([](auto& c) {
                  c.variables[0].collections = {"GLOBAL", "LOCAL"};
                }),
                "expected one of GLOBAL and LOCAL"));
  CHECK(matches(refused([](auto& c) {
                  c.variables[0].collections = {"GLOBAL", "a b"};
                }),
                "without blanks"));
  CHECK(matches(refused([](auto& c) { c.states[0].component = "a b"; }), "an id without blanks"));
  CHECK(list(folder.path()).empty());
}

TEST_CASE("checkpoint: a damaged one is an error that names the older one which is intact") {
  const Folder folder;
  CheckpointList saved(folder.path(), {});
  for (const int64_t step : {1, 2, 3}) saved.save(checkpoint_name(step), Sample(step).contents);
  flip_last_bit(folder / "model-3.safetensors");
  flip_last_bit(folder / "model-2.safetensors");
  std::string text =
      refusal(Exit::checkpoint, [&] { read_checkpoint(folder / "model-3.safetensors"); });
  CHECK_MESSAGE(matches(text, "model-3\\.safetensors: data from byte 0 on, at tensor '.*'"), text);
  CHECK_MESSAGE(matches(text, "hint: .*/model-1\\.safetensors is intact"), text);
  flip_last_bit(folder / "model-1.safetensors");
  text = refusal(Exit::checkpoint, [&] { read_checkpoint(folder / "model-3.safetensors"); });
  CHECK_FALSE_MESSAGE(matches(text, "intact"), text);
}

TEST_CASE("checkpoint: the older one which is intact need not be in the list") {
  const Folder folder;
  CheckpointList saved(folder.path(), {.max_to_keep = 0});
  for (const int64_t step : {9, 10, 11, 12})
    saved.save(checkpoint_name(step), Sample(step).contents);
  REQUIRE(saved.names().size() == 1);
  flip_last_bit(folder / "model-12.safetensors");
  flip_last_bit(folder / "model-11.safetensors");
  const std::string text =
      refusal(Exit::checkpoint, [&] { read_checkpoint(folder / "model-12.safetensors"); });
  CHECK_MESSAGE(matches(text, "hint: .*/model-10\\.safetensors is intact"), text);
}

TEST_CASE(
    "checkpoint: weights of another program are no checkpoint, and the message says where to") {
  const Folder folder;
  write_file(folder / "w.safetensors", std::string("\2\0\0\0\0\0\0\0{}", 10));
  const std::string text =
      refusal(Exit::checkpoint, [&] { read_checkpoint(folder / "w.safetensors"); });
  CHECK_MESSAGE(matches(text, "w\\.safetensors: no checksums.*\n.*hint: .*session_init"), text);
}
