// dumps_test.cpp: dump-tensors and dump-tensor-as-image.
#include "slope.hpp"
#include "store/png.hpp"

using namespace broch::test;

TEST_CASE("dump-tensors: a file for NumPy per step") {
  Project project;
  Lines overrides = four_steps(use("dump-tensors", R"("names": ["mean", "x"])"));
  CHECK(train(project, overrides) == Exit::ok);
  CHECK(project.files("DumpTensor-") ==
        Lines{"DumpTensor-1.npz", "DumpTensor-2.npz", "DumpTensor-3.npz", "DumpTensor-4.npz"});
  // The dataflow npy reads the file again.
  const std::string file = (project.log_dir() / "DumpTensor-3.npz").string();
  const std::string read = "dataflow=" + around("batch", R"({"use": "npy", "with": {
      "components": [{"file": ")" + file + R"(", "array": "x"}]}})",
                                                R"(, "batch_size": 1)");
  const std::string fetch = recorder("{" + project.trace_option() + R"(, "fetch": ["mean"]})");
  CHECK(train(project, {read, "steps_per_epoch=1", "callbacks=[" + fetch + "]"}) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.trace("mean ") == Lines{"3"});
}

TEST_CASE("dump-tensor-as-image: pixels are scaled and clipped, one file per picture") {
  Project project;
  const auto dump = [&](const std::string& options) {
    return train(project, {R"(model={"use": "test.slope", "with": {"picture": true}})",
                           "data=" + around("queue", rows("[[0, 0.25, 7, -1]]")),
                           "callbacks=[" + use("dump-tensor-as-image", options) + "]",
                           "monitors=[" + project.listener() + "]"});
  };
  const auto png = [](std::vector<uint8_t> pixels) {
    return broch::store::encode_png(pixels, 1, 2, 1);
  };
  CHECK(dump(R"("tensor_name": "pictures")") == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.files("pictures") == Lines{"pictures-ep001-1.png", "pictures-ep001.png"});
  CHECK(read_file(project.log_dir() / "pictures-ep001.png") == png({0, 64}));
  CHECK(read_file(project.log_dir() / "pictures-ep001-1.png") == png({255, 0}));
  CHECK(project.trace("M.summary pictures/") == Lines{"0(1,2,1:0 64) pictures/1(1,2,1:255 0)"});

  CHECK(dump(R"("tensor_name": "pictures", "prefix": "p", "scale": 100)") == Exit::ok);
  CHECK(read_file(project.log_dir() / "p-ep001.png") == png({0, 25}));
  // 0, 0.25, 7 and -1 become 0.5, 0.625, 4 and 0.
  CHECK(dump(R"("tensor_name": "pictures", "prefix": "m", "map_func": "value / 2 + 0.5")") ==
        Exit::ok);
  CHECK(read_file(project.log_dir() / "m-ep001.png") == png({128, 159}));
  CHECK(read_file(project.log_dir() / "m-ep001-1.png") == png({255, 0}));
  CHECK(dump(R"("tensor_name": "pictures", "prefix": "n", "normalize": true)") == Exit::ok);
  CHECK(read_file(project.log_dir() / "n-ep001.png") == png({32, 40}));
  CHECK(read_file(project.log_dir() / "n-ep001-1.png") == png({255, 0}));
  CHECK(dump(R"("tensor_name": "mean")") == Exit::training);
  CHECK(project.failure.find("mean has shape (), expected (height, width)") != std::string::npos);
}

TEST_CASE("dump-tensor-as-image: channels in front of the height") {
  Project project;
  const auto dump = [&](const std::string& tensor) {
    return train(project, {R"(model={"use": "test.slope", "with": {"picture": true}})",
                           "data=" + around("queue", rows("[[0, 0.25, 7, -1]]")),
                           "callbacks=[" +
                               use("dump-tensor-as-image",
                                   "\"channels_last\": false, \"tensor_name\": " + tensor) +
                               "]"});
  };
  CHECK(dump("\"colors\"") == Exit::ok);
  CHECK(project.failure == "");
  const std::vector<uint8_t> first{0, 0, 0, 64, 32, 16}, second{255, 255, 255, 0, 0, 0};
  CHECK(read_file(project.log_dir() / "colors-ep001.png") ==
        broch::store::encode_png(first, 1, 2, 3));
  CHECK(read_file(project.log_dir() / "colors-ep001-1.png") ==
        broch::store::encode_png(second, 1, 2, 3));
  CHECK(dump("\"pictures\"") == Exit::ok);  // (N, 1, 2, 1): one channel
  CHECK(read_file(project.log_dir() / "pictures-ep001.png") ==
        broch::store::encode_png(std::vector<uint8_t>{0, 64}, 2, 1, 1));
  CHECK(dump("\"mean\"") == Exit::training);
  CHECK(project.failure.find("(N, channels, height, width)") != std::string::npos);
}
