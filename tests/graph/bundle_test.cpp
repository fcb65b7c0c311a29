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
