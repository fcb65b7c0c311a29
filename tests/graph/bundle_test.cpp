// bundle_test.cpp: a model in one file; files that are damaged or of another kind.
#include "bundle/bundle.hpp"

#include "example.hpp"
#include "fixture.hpp"
#include "folder.hpp"
#include "graph/text.hpp"

using namespace broch;
using namespace broch::graph_test;
using runtime::backend;
using runtime::floats;

namespace {

bundle::Model model() {
  return {example(),
          {floats({1, 2, 3, 4, 5, 6}, {2, 3}), floats({7, 8}, {2})},
          {{"name", "example"}, {"broch", "0"}}};
}
std::string refusal(const std::filesystem::path& file) {
  return runtime::error_of([&] { bundle::Bundle{file}; });
}
// The file with metadata of one's own.
std::string with(const test::Folder& folder, store::Metadata metadata) {
  const std::vector<float> w(6), b(2);
  store::write_safetensors(folder / "odd",
                           {{"fc/W", store::Dtype::f32, {2, 3}, std::as_bytes(std::span(w))},
                            {"fc/b", store::Dtype::f32, {2}, std::as_bytes(std::span(b))}},
                           std::move(metadata));
  return refusal(folder / "odd");
}

}  // namespace

TEST_CASE("bundle: what is written is read again") {
  const test::Folder folder;
  bundle::write(folder / "m", backend(), model());
  CHECK(bundle::is_bundle(folder / "m"));
  const bundle::Bundle bundle(folder / "m");
  CHECK(graph::to_json(bundle.graph()) == graph::to_json(example()));
  CHECK(bundle.about() == model().about);
  const std::vector<runtime::Tensor> weights = bundle.weights(backend());
  CHECK(runtime::numbers(weights[0]) == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(runtime::numbers(weights[1]) == std::vector<double>{7, 8});
}

TEST_CASE("bundle: equal models give equal files") {
  const test::Folder folder;
  bundle::write(folder / "a", backend(), model());
  bundle::write(folder / "b", backend(), model());
  CHECK(folder.read("a") == folder.read("b"));
}

TEST_CASE("bundle: any byte that is changed, and an early end, are noticed") {
  const test::Folder folder;
  bundle::write(folder / "m", backend(), model());
  const std::string whole = folder.read("m");
  for (size_t at = 0; at < whole.size(); at += 11) {
    CAPTURE(at);
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 1);
    folder.write("damaged", damaged);
    CHECK(!refusal(folder / "damaged").empty());
    folder.write("damaged", whole.substr(0, at));
    CHECK(!refusal(folder / "damaged").empty());
  }
}

TEST_CASE("bundle: files of another kind are refused by what they lack") {
  const test::Folder folder;
  const std::string json = graph::to_json(example());
  CHECK(runtime::has(with(folder, {}), "a safetensors file without a program, expected a bundle"));
  CHECK(!bundle::is_bundle(folder / "odd"));
  CHECK(runtime::has(with(folder, {{"broch.bundle", "2"}, {"broch.graph", json}}),
                     "version '2', expected version 1"));
  graph::Graph other = example();
  other.weights[0] = "fc/V";
  CHECK(runtime::has(with(folder, {{"broch.bundle", "1"}, {"broch.graph", graph::to_json(other)}}),
                     "weight 'fc/V': no such tensor"));
  other = example();
  other.types[1].shape[0] = 3;
  CHECK(runtime::has(with(folder, {{"broch.bundle", "1"}, {"broch.graph", graph::to_json(other)}}),
                     "weight 'fc/W': another dtype or shape, expected float32 (3, 3)"));
  CHECK(runtime::has(refusal(folder / "nothing"), "nothing"));
}

namespace {

// y = x + state/n, and next/n, which is y; at first there is no state.
graph::Graph adding(bool goes_on) {
  using graph::Argument;
  graph::Graph graph;
  graph.symbols = {"B"};
  graph.least = {1};
  graph.operators = {"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"};
  graph.inputs = {"x"};
  if (goes_on) graph.inputs.push_back("state/n");
  graph.weights = {"constant.0"};
  const int sum = goes_on ? 3 : 2;
  graph.nodes = {
      {0, {value(0), value(1), {.kind = Argument::Kind::integer, .integers = {1}}}, {sum}}};
  graph.outputs = {{"y", sum}};
  graph.types.assign(size_t(sum) + 1, {BROCH_FLOAT32, {symbol(0)}});
  graph.types[size_t(sum) - 1].shape = {graph::Number(1)};
  return graph;
}
graph::Graph returning(graph::Graph graph, const std::string& name) {
  graph.outputs.push_back({name, graph.outputs[0].value});
  return graph;
}
bundle::Model with_sequence() {
  bundle::Model whole{adding(false), {floats({5}, {1})}, {}};
  whole.sequence = bundle::Sequence<bundle::Computation>{
      {returning(adding(false), "next/n"), {floats({5}, {1})}},
      {returning(adding(true), "next/n"), {floats({7}, {1})}}};
  return whole;
}

}  // namespace

TEST_CASE("bundle: the graphs of a sequence, over the same weights") {
  const test::Folder folder;
  bundle::write(folder / "m", backend(), with_sequence());
  const bundle::Bundle bundle(folder / "m");
  REQUIRE(bundle.sequence());
  CHECK(bundle.sequence()->later.inputs == std::vector<std::string>{"x", "state/n"});
  // Another constant of the same name has got another name.
  CHECK(bundle.graph().weights == bundle.sequence()->first.weights);
  CHECK(bundle.sequence()->later.weights == std::vector<std::string>{"constant.0'"});
  const auto all = bundle.all_weights(backend());
  CHECK(all.size() == 2);
  CHECK(runtime::numbers(bundle::weights_of(bundle.sequence()->later, all)[0]) ==
        std::vector<double>{7});
  CHECK(!bundle::Bundle(folder / "m").files().contains("constant.0"));
}

TEST_CASE("bundle: graphs that make no sequence are refused") {
  const test::Folder folder;
  const auto refused = [&](const graph::Graph& first, const graph::Graph& later) {
    bundle::Model odd = with_sequence();
    odd.sequence->first.graph = first;
    odd.sequence->later.graph = later;
    bundle::write(folder / "odd", backend(), odd);
    return refusal(folder / "odd");
  };
  const graph::Graph first = with_sequence().sequence->first.graph,
                     later = with_sequence().sequence->later.graph;
  CHECK(refused(first, later).empty());
  CHECK(runtime::has(refused(adding(false), adding(true)), "no next/NAME"));
  CHECK(runtime::has(refused(first, adding(true)), "no next/NAME"));
  CHECK(runtime::has(refused(returning(adding(false), "n"), returning(adding(true), "n")),
                     "output 'n'"));
  CHECK(runtime::has(refused(later, later), "other inputs"));
  graph::Graph other = later;
  other.inputs[1] = "state/m";
  CHECK(runtime::has(refused(first, other), "input 'state/m'"));
  other = later;
  other.types[1].dtype = BROCH_FLOAT64;
  CHECK(runtime::has(refused(first, other), "input 'state/n' of another dtype"));
  bundle::write(folder / "m", backend(), with_sequence());
  const auto file = store::SafetensorsFile::read(folder / "m");
  store::Metadata metadata = file.metadata();
  metadata.erase("broch.graph.later");
  store::write_safetensors(folder / "odd", file.tensors(), metadata);
  CHECK(runtime::has(refusal(folder / "odd"), "one graph of a sequence"));
}

TEST_CASE("bundle: files, and what is refused") {
  const test::Folder folder;
  bundle::Model with_files = model();
  with_files.files = {{"words.txt", std::string("a\0b", 3)}, {"empty", ""}};
  bundle::write(folder / "m", backend(), with_files);
  CHECK(bundle::Bundle(folder / "m").files() == with_files.files);
  const auto refused = [&](const std::string& name, store::Dtype dtype, std::vector<int64_t> shape,
                           size_t bytes) {
    const std::vector<std::byte> content(bytes);
    const auto file = store::SafetensorsFile::read(folder / "m");
    std::vector<store::TensorView> tensors = file.tensors();
    tensors.push_back({"broch.file/" + name, dtype, std::move(shape), content});
    store::write_safetensors(folder / "odd", std::move(tensors), file.metadata());
    return refusal(folder / "odd");
  };
  CHECK(refused("a.txt", store::Dtype::u8, {4}, 4).empty());
  for (const std::string name : {"", ".", "..", "a/b", "/a", "../a", "a\n"}) {
    CAPTURE(name);
    CHECK(runtime::has(refused(name, store::Dtype::u8, {4}, 4), "one without folders"));
  }
  CHECK(runtime::has(refused(std::string(300, 'a'), store::Dtype::u8, {4}, 4), "without folders"));
  CHECK(runtime::has(refused("a", store::Dtype::f32, {1}, 4), "expected bytes"));
  CHECK(runtime::has(refused("a", store::Dtype::u8, {2, 2}, 4), "expected bytes"));
  const auto most = int64_t(bundle::kMostFileBytes);
  CHECK(refused("a", store::Dtype::u8, {most - 3}, size_t(most - 3)).empty());
  CHECK(runtime::has(refused("a", store::Dtype::u8, {most - 2}, size_t(most - 2)),
                     "at most 67108864 together"));
}
