// trainer.cpp: what a trainer is made of, and what it gives to others. Its phases are in
// trainer_setup.cpp and trainer_loop.cpp, its step in trainer_step.cpp.
#include "train/trainer.hpp"

namespace broch::train {

namespace {

template <class T>
T* address(std::optional<T>& object) {
  return object ? &*object : nullptr;
}

std::optional<Towers> make_towers(const TrainerParts& parts) {
  if (!parts.model) return std::nullopt;
  return std::optional<Towers>(std::in_place, *parts.run_context, *parts.model);
}

std::optional<Input> make_input(const TrainerParts& parts) {
  if (!parts.input) return std::nullopt;
  return std::optional<Input>(std::in_place, *parts.input, *parts.interrupt);
}

std::optional<ChiefWrites> make_chief_writes(const TrainerParts& parts,
                                             const Callbacks& callbacks) {
  if (!parts.group) return std::nullopt;
  return std::optional<ChiefWrites>(
      std::in_place, ChiefWrites::Deps{parts.backend, parts.variables, parts.hypers, parts.group,
                                       &callbacks, parts.session_inits, parts.context});
}

}  // namespace

Trainer::Trainer(TrainerParts parts)
    : parts_(std::move(parts)),
      role_(abi::Trainer::make(*parts_.trainer)),
      towers_(make_towers(parts_)),
      input_(make_input(parts_)),
      optimizers_(*parts_.run_context),
      plans_(plan_deps()),
      servers_(parts_.everyone, plans_, *parts_.hypers),
      callbacks_(*parts_.clock, parts_.interrupt),
      chief_writes_(make_chief_writes(parts_, callbacks_)),
      monitors_(*parts_.progress),
      awaited_(parts_.metric_words, {&monitors_, parts_.progress, &callbacks_.pending(),
                                     [this] { return metric_names(); }}),
      executor_(executor_deps()),
      place_(*parts_.progress, executor_, address(input_)),
      runs_({&callbacks_, &executor_, &monitors_, parts_.backend, parts_.run_context,
             parts_.progress, &step_has_effects_, parts_.group != nullptr}) {
  broch_progress* progress = parts_.progress;
  parts_.run_context->global_step = [progress] { return load_global_step(*progress); };
  parts_.run_context->epoch_num = [progress] { return progress->epoch_num; };
  if (towers_) {
    signature_.emplace(towers_->signature());
    signature_holder_ = {&towers_->signature(), runtime::Device{}};
    predictors_.emplace(*towers_, *towers_, *parts_.variables, parts_.predict_devices);
    parts_.context->provide(&signature_holder_);
    tower_devices_.of = [this](uint32_t index) {
      const tower::Tower* const tower = towers_->training(index);
      return tower ? tower->spec().device : runtime::Device{};
    };
    parts_.context->provide(&tower_devices_);
  }
  parts_.context->provide(const_cast<broch_cancel*>(parts_.interrupt->token()));
  parts_.context->provide<tower::WriteWatch>(address(chief_writes_));
  parts_.context->provide<abi::TriggerWatch>(&awaited_);
  parts_.context->provide(&event_places_);
  parts_.context->provide(this);
}

Plans::Deps Trainer::plan_deps() {
  return {.backend = parts_.backend,
          .towers = address(towers_),
          .optimizers = &optimizers_,
          .variables = parts_.variables,
          .context = parts_.run_context,
          .group = parts_.group,
          .everyone = parts_.everyone,
          .hypers = parts_.hypers,
          .optimizer = parts_.optimizer,
          .processors = parts_.processors,
          .interrupt = parts_.interrupt,
          .make_instance = parts_.make_instance,
          .trains = parts_.trains};
}

Executor::Deps Trainer::executor_deps() {
  return {.backend = parts_.backend,
          .variables = parts_.variables,
          .towers = address(towers_),
          .input = address(input_),
          .optimizers = &optimizers_,
          .averages = &averages_,
          .costs = &costs_,
          .progress = parts_.progress,
          .group = parts_.group,
          .rank_writes = address(chief_writes_),
          .has_servers = servers_.exist(),
          .interrupt = parts_.interrupt,
          .deterministic = parts_.deterministic};
}

Trainer::OtherModel::OtherModel(TrainerParts& parts, abi::Instance& model, const Towers& trained)
    : towers(*parts.run_context, model, Towers::Makes::nothing),
      signature(towers.signature()),
      predictors(towers, trained, *parts.variables, parts.predict_devices) {}

// Where nothing is trained, such as in an evaluation, a tower for predictions makes the variables.
Trainer::OtherModel& Trainer::other_model(abi::Instance& model) {
  if (towers_->all().empty()) predictors_->tower("", 0);
  return other_models_.try_emplace(&model, parts_, model, *towers_).first->second;
}

Trainer::~Trainer() {
  parts_.context->provide<Trainer>(nullptr);
  parts_.context->provide<tower::WriteWatch>(nullptr);
  parts_.context->provide<abi::TriggerWatch>(nullptr);
  parts_.context->provide<abi::EventPlaces>(nullptr);
  parts_.context->provide<broch_cancel>(nullptr);
  if (towers_) {
    parts_.context->provide<runtime::TowerDevices>(nullptr);
    parts_.context->provide<runtime::SignatureHolder>(nullptr);
  }
}

Fetches::Deps Trainer::names() const {
  return {towers_ ? &*towers_ : nullptr, parts_.variables, parts_.hypers};
}

dist::Group& Trainer::group_of_plugins() {
  if (!group_of_plugins_)
    group_of_plugins_ = parts_.group->first(parts_.group->ranks().world, dist::kPluginsNumber);
  return *group_of_plugins_;
}

// A session_init may save, too.
Position Trainer::position() const {
  if (loop_) return loop_->position();
  Position start;
  start.epoch = parts_.starting_epoch;
  start.during = Position::During::before_train;
  return start;
}

Cursors Trainer::cursors() const { return input_ ? input_->cursors() : Cursors{}; }

std::vector<Cursors> Trainer::cursors_of_ranks() {
  if (rank_cursors_) return rank_cursors_->all();
  return {cursors()};
}

}  // namespace broch::train
