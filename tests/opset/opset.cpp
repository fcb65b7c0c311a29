// opset.cpp: a trainer whose step calls operators on a few tensors and writes down what came out.
#include <broch/broch.hpp>
#include <fstream>

namespace {

using broch::Tensor;

class Opset final : public broch::SteppingTrainer {
 public:
  explicit Opset(const broch::Host& host)
      : host_(host), tensors_(host), file_(broch::Config(host).string("/file")) {}

  void setup_graph() override {}
  broch_status run_step() override {
    broch::Ops ops(host_);
    std::ofstream file(file_);
    file.precision(9);
#define INPUT(name, first, step, modulus, shift, ...) \
  const Tensor name = input(ops, first, step, modulus, shift, {__VA_ARGS__});
#include "inputs.def"
#define CASE(name, ...) show(file, #name, __VA_ARGS__);
#include "cases.def"
    return BROCH_OK;
  }

 private:
  Tensor input(broch::Ops& ops, int first, int step, int modulus, double shift,
               const std::vector<int64_t>& shape) {
    int64_t elements = 1;
    for (const int64_t dim : shape) elements *= dim;
    std::vector<float> values;
    for (int64_t i = 0; i < elements; ++i)
      values.push_back(float(double((first + i * step) % modulus) / 8 - shift));
    return Tensor(&ops, tensors_.from_data(values, shape));
  }

  void show(std::ostream& file, const char* name, const Tensor& tensor) {
    const broch_tensor_info info = tensors_.info(tensor.handle());
    file << name << " (";
    for (uint32_t d = 0; d < info.rank; ++d) file << ' ' << info.shape[d];
    file << " )";
    for (const double value : tensors_.doubles(tensor.handle())) file << ' ' << value;
    file << '\n';
  }
  template <size_t N>
  void show(std::ostream& file, const char* name, const std::array<Tensor, N>& tensors) {
    for (const Tensor& tensor : tensors) show(file, name, tensor);
  }

  broch::Host host_;
  broch::TensorData tensors_;
  std::string file_;
};

}  // namespace

// clang-format off
BROCH_TRAINER(Opset, "test.opset", "1.0.0", "Calls operators.",
  R"({"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"],)"
  R"( "additionalProperties": false})")
// clang-format on
