// predict.cpp: the same as predict.c in C++, with a handle that closes itself and exceptions.
#include <libbroch.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class Model {
 public:
  explicit Model(const char* file) {
    libbroch_error error;
    libbroch_model* model = nullptr;
    if (libbroch_open(file, nullptr, &model, &error)) throw std::runtime_error(error.message);
    model_.reset(model);
  }

  libbroch_info input(size_t number) const {
    libbroch_error error;
    libbroch_info info;
    if (libbroch_input(model_.get(), number, &info, &error))
      throw std::runtime_error(error.message);
    return info;
  }

  // Any number of threads may call it at once. Sets the shape of the result.
  std::vector<float> run(const libbroch_tensor& in, libbroch_tensor& out) const {
    libbroch_error error;
    if (libbroch_output_shapes(model_.get(), &in, 1, &out, 1, &error))
      throw std::runtime_error(error.message);
    std::vector<float> values(out.bytes / sizeof(float));
    out.data = values.data();
    if (libbroch_run(model_.get(), &in, 1, &out, 1, nullptr, &error))
      throw std::runtime_error(error.message);
    return values;
  }

 private:
  struct Close {
    void operator()(libbroch_model* model) const { libbroch_close(model); }
  };
  std::unique_ptr<libbroch_model, Close> model_;
};

void predict(const char* file) {
  const Model model(file);
  libbroch_info info = model.input(0);
  size_t each = 1;
  for (uint32_t i = 1; i < info.rank; ++i) each *= static_cast<size_t>(info.shape[i]);
  std::vector<float> numbers(std::istream_iterator<float>(std::cin), {});
  if (!std::cin.eof() || numbers.size() % each != 0)
    throw std::runtime_error("found " + std::to_string(numbers.size()) + " numbers" +
                             (std::cin.eof() ? "" : " and then another word") +
                             ", expected only numbers, " + std::to_string(each) +
                             " for each example");
  info.shape[0] = static_cast<int64_t>(numbers.size() / each);
  const libbroch_tensor in =
      libbroch_tensor_of(numbers.data(), LIBBROCH_FLOAT32, info.rank, info.shape);
  libbroch_tensor out = libbroch_memory(nullptr, 0);
  const std::vector<float> values = model.run(in, out);
  const size_t row = out.rank > 1 ? static_cast<size_t>(out.shape[1]) : 1;
  for (size_t i = 0; i < values.size(); ++i)
    std::printf("%.4f%c", double(values[i]), (i + 1) % row ? ' ' : '\n');
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: predict BUNDLE < NUMBERS");
  predict(argv[1]);
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
