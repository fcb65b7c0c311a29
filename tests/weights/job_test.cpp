// job_test.cpp: files that were written, read by other programs and by Broch.
// BROCH_REFERENCE_PYTHON names a Python with tests/reference/requirements.txt; without it that test
// skips.
#include "weights/job.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "folder.hpp"

using namespace broch::weights;
using broch::test::Folder;
namespace base = broch::base;
namespace store = broch::store;

namespace {

std::string good(const std::string& name) { return std::string(GOOD_DIR) + "/" + name; }

}  // namespace

TEST_CASE("weights: what was written has the same tensors, in every format") {
  const Folder folder;
  for (const char* input : {"types.pt", "views.pt", "stored.npz", "program.pt2", "sharded"}) {
    CAPTURE(input);
    const auto before = open(good(input));
    for (const Format format : {Format::safetensors, Format::checkpoint, Format::npz}) {
      const std::string output = folder / (format == Format::npz ? "a.npz" : "a.safetensors");
      Job job{{good(input)}, output, true, format};
      bool has_bfloat16 = false;
      for (const Tensor& tensor : before->tensors())
        has_bfloat16 |= tensor.dtype == store::Dtype::bf16;
      if (format == Format::npz && has_bfloat16) {
        CHECK_THROWS_WITH_AS(convert(job, false), doctest::Contains("--dtype float32"),
                             base::Error);
        continue;
      }
      const Written written = convert(job, false);
      const auto after = open(output);
      CHECK(written.tensors == before->tensors().size());
      REQUIRE(after->tensors().size() == before->tensors().size());
      for (size_t i = 0; i < before->tensors().size(); ++i) {
        const Tensor& tensor = before->tensors()[i];
        CAPTURE(tensor.name);
        const auto same = std::ranges::find(after->tensors(), tensor.name, &Tensor::name);
        REQUIRE(same != after->tensors().end());
        CHECK(same->dtype == tensor.dtype);
        CHECK(same->shape == tensor.shape);
        std::vector<std::byte> a, b;
        CHECK(std::ranges::equal(before->read(i, a),
                                 after->read(size_t(same - after->tensors().begin()), b)));
      }
    }
  }
}

TEST_CASE("weights: an output that cannot be written leaves the old one as it was") {
  const Folder folder;
  broch::test::write_file(folder.path() / "a.safetensors", "old");
  Job job{{good("state.pt")}, folder / "a.safetensors"};
  CHECK_THROWS_WITH_AS(convert(job, false), doctest::Contains("--force"), base::Error);
  CHECK(folder.read("a.safetensors") == "old");
  job.replace = true;
  job.inputs = {good("evil.pt")};
  CHECK_THROWS_AS(convert(job, false), base::Error);
  CHECK(folder.read("a.safetensors") == "old");
}

TEST_CASE("reference: PyTorch, NumPy and safetensors read what was written, strictly") {
  const char* const python = std::getenv("BROCH_REFERENCE_PYTHON");
  if (!python) {
    MESSAGE("skipped: BROCH_REFERENCE_PYTHON is not set");
    return;
  }
  const Folder folder;
  std::string files;
  for (const auto& [name, format] :
       {std::pair{"a.safetensors", Format::safetensors},
        std::pair{"c.safetensors", Format::checkpoint}, std::pair{"a.npz", Format::npz}}) {
    convert({{good("state.pt")}, folder / name, false, format}, false);
    files += " " + (folder / name);
  }
  const std::string command = std::string(python) + " " BROCH_REFERENCE_DIR "/check_weights.py " +
                              good("state.pt") + files + " > " + (folder / "out") + " 2>&1";
  const int status = std::system(command.c_str());
  CHECK_MESSAGE(status == 0, folder.read("out"));
  CHECK(folder.read("out") == "a.safetensors 9\nc.safetensors 9\na.npz 9\n");
}
