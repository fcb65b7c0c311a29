// chain.cpp: Q-learning as in DeepQNetwork of tensorpack: a model of action values, and a memory
// that is the dataflow and a callback at once.
//
// The world is a chain of places. To the right of the last one waits a reward, and a game ends.
#include <algorithm>
#include <broch/broch.hpp>
#include <cstring>

namespace {

constexpr int64_t kPlaces = 5, kActions = 2, kBatch = 16;
constexpr int32_t kRight = 1;

struct Move {
  int32_t place = 0, action = 0, next = 0, ended = 0;
};

Move moved(int32_t place, int32_t action) {
  if (action != kRight) return {place, action, std::max(place - 1, 0), 0};
  if (place == kPlaces - 1) return {place, action, 0, 1};
  return {place, action, place + 1, 0};
}

// Inputs: places and next places as one-hot rows, actions, and 1 where a game ends. A second table
// of values, which only an assignment changes, says what comes after a move.
class Values final : public broch::Model {
 public:
  explicit Values(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override {
    return {{"place", BROCH_FLOAT32, {-1, kPlaces}, {"B", ""}},
            {"action", BROCH_INT64, {-1}, {"B"}},
            {"next", BROCH_FLOAT32, {-1, kPlaces}, {"B", ""}},
            {"ended", BROCH_FLOAT32, {-1}, {"B"}}};
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const auto table = [&](const char* name, uint32_t flags) {
      return t.variable(name, {kPlaces, kActions}, broch::Init::constant(0), flags).value;
    };
    const broch::Tensor values =
        t.publish("values", ops.matmul(inputs[0], table("online/W", BROCH_VARIABLE_TRAINABLE)));
    const broch::Tensor best =
        ops.amax(ops.matmul(inputs[2], table("target/W", BROCH_VARIABLE_MODEL)), {1});
    const broch::Tensor goes_on = broch::Scalar(1) - inputs[3];
    const broch::Tensor wanted = inputs[3] + goes_on * best * broch::Scalar(0.9);
    const broch::Tensor taken = ops.squeeze(ops.gather(values, 1, ops.unsqueeze(inputs[1], 1)), 1);
    return t.publish("cost", ops.mean(ops.square(taken - wanted)));
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 1}})"; }
};

struct Options {
  int64_t capacity;
  double exploration;

  static constexpr auto schema = broch::options(
      broch::option("capacity", &Options::capacity, "Moves that are remembered.").minimum(kBatch),
      broch::option("exploration", &Options::exploration, "Part of the moves that are random.")
          .minimum(0)
          .maximum(1)
          .by_default(1)
          .is_mutable());
};

class Memory final : public broch::DataFlow,
                     public broch::Callback,
                     public broch::Adjustable,
                     public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  Memory(const broch::Host& host, const Options& options)
      : host_(host),
        scopes_(host),
        data_(host),
        chances_(host, "chances"),
        draws_(host, "draws"),
        exploration_(options.exploration),
        moves_(size_t(options.capacity)) {}
  void options_changed(const std::string&) override {
    exploration_ = broch::read<Options>(host_).exploration;
  }

  void setup_graph() override {
    predictor_.emplace(host_, broch::Predictor::Names{"place"}, broch::Predictor::Names{"values"});
  }
  void before_train() override {
    while (made_ < moves_.size()) play();
  }
  void trigger_step() override { play(); }

  void open(const std::string& cursor) override {
    next_ = cursor.empty() ? 0 : std::stoull(cursor);
  }
  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    std::vector<float> places(kBatch * kPlaces), nexts(kBatch * kPlaces), ended;
    std::vector<int64_t> actions;
    for (const uint64_t drawn : draws_.below(next_++, moves_.size(), kBatch)) {
      const Move& move = moves_[drawn];
      const size_t row = actions.size() * kPlaces;
      places[row + size_t(move.place)] = nexts[row + size_t(move.next)] = 1;
      actions.push_back(move.action);
      ended.push_back(float(move.ended));
    }
    point.add(places, {kBatch, kPlaces});
    point.add(actions, {kBatch});
    point.add(nexts, {kBatch, kPlaces});
    point.add(ended, {kBatch});
    point.set_cursor(std::to_string(next_));
    return true;
  }

  std::string save_state() override {
    std::string bytes(sizeof made_ + sizeof place_ + moves_.size() * sizeof(Move), '\0');
    char* to = bytes.data();
    for (const auto& [part, size] : parts()) std::memcpy(to, part, size), to += size;
    return bytes;
  }
  void load_state(uint32_t, const std::string& bytes) override {
    const char* from = bytes.data();
    for (const auto& [part, size] : parts()) std::memcpy(part, from, size), from += size;
  }

 private:
  std::vector<std::pair<void*, size_t>> parts() {
    return {{&made_, sizeof made_},
            {&place_, sizeof place_},
            {moves_.data(), moves_.size() * sizeof(Move)}};
  }
  // One move of the game that is being played.
  void play() {
    const std::vector<double> chances = chances_.uniform(made_, 2);
    const int32_t action = chances[0] < exploration_ ? int32_t(chances[1] * kActions) : best();
    const Move move = moved(place_, action);
    moves_[made_++ % moves_.size()] = move;
    place_ = move.next;
  }
  int32_t best() const {
    const broch::Scope scope = scopes_.open();
    std::vector<float> place(kPlaces);
    place[size_t(place_)] = 1;
    const broch_tensor input = data_.from_data(place, {1, kPlaces});
    const std::vector<float> values = data_.floats(predictor_->call({input}).at(0));
    return int32_t(std::max_element(values.begin(), values.end()) - values.begin());
  }

  broch::Host host_;
  broch::Scopes scopes_;
  broch::TensorData data_;
  broch::Rng chances_, draws_;
  double exploration_;
  std::vector<Move> moves_;
  std::optional<broch::Predictor> predictor_;
  uint64_t made_ = 0, next_ = 0;
  int32_t place_ = 0;
};

}  // namespace

BROCH_COMPONENTS(broch::component<Values>("test.values", "model", "1.0.0", "Values of actions."),
                 broch::component<Memory>("test.memory", "dataflow", "1.0.0", "Moves of games.",
                                          Options::schema, broch::roles("dataflow", "callback")))
