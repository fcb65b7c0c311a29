// together.cpp: a callback that does with the other ranks what its option says.
#include <broch/broch.hpp>

namespace {

class Together final : public broch::Callback {
 public:
  explicit Together(const broch::Host& host)
      : dist_(host), metrics_(host), what_(broch::Config(host).string("/what")) {}

  void trigger() override {
    const double one = dist_.rank() + 1;
    if (what_ == "differ" && dist_.rank() == 1) return dist_.barrier();
    if (what_ == "absent" && dist_.rank() == 1) return;
    if (what_ == "wrong") dist_.broadcast("x", dist_.world());
    const std::vector<double> both{one, 0.1 * one};
    put("sum", dist_.all_reduce(both, BROCH_REDUCE_SUM));
    put("mean", dist_.all_reduce(both, BROCH_REDUCE_MEAN));
    put("min", dist_.all_reduce(both, BROCH_REDUCE_MIN));
    put("max", dist_.all_reduce(both, BROCH_REDUCE_MAX));
    metrics_.put_scalar(
        "last",
        dist_.broadcast(std::string(1, char('0' + dist_.rank())), dist_.world() - 1)[0] - '0');
    metrics_.put_scalar("gathered", gathered());
    dist_.barrier();
  }

 private:
  void put(const std::string& name, const std::vector<double>& values) {
    metrics_.put_scalar(name + "_0", values[0]);
    metrics_.put_scalar(name + "_1", values[1]);
  }
  // The ranks as digits, in order.
  double gathered() const {
    double digits = 0;
    for (const uint32_t rank : dist_.all_gather(std::vector{dist_.rank() + 1}))
      digits = 10 * digits + rank;
    return digits;
  }

  broch::Dist dist_;
  broch::Metrics metrics_;
  std::string what_;
};

}  // namespace

// clang-format off
BROCH_CALLBACK(Together, "test.together", "1.0.0", "Calls the other ranks.",
  R"({"type": "object", "properties": {"what": {"type": "string", "default": ""}},)"
  R"( "additionalProperties": false})")
// clang-format on
