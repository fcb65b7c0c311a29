// lr_find_command.cpp: broch lr-find: a learning rate range test.
#include <iostream>

#include "base/error.hpp"
#include "base/real_number.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "rates/range_test.hpp"
#include "runs/picture_file.hpp"

namespace broch::cli {
namespace {

struct FindOptions {
  session::SetupOptions setup;
  rates::RangeOptions range;
  std::string output = "lr_find.png";
  bool json = false;
};

void print_result(const rates::RangeTest& test, const FindOptions& options) {
  std::cout << "steps: " << test.losses.size() << " of " << options.range.steps
            << (test.diverged ? ", then the loss diverged" : "") << "\nsuggestion: ";
  if (test.suggestion)
    std::cout << test.param << " = " << base::general(test.rates[*test.suggestion], 3)
              << ", where the loss falls fastest\n";
  else
    std::cout << "none, since the loss does not fall; try more --steps or another range\n";
}

// A rate that falls, or stays the same, would give a suggestion that means nothing.
void require_growth(const rates::RangeOptions& range) {
  if (range.from < range.to) return;
  base::fail(base::Exit::usage, "broch lr-find: --to", base::shortest(range.to),
             "a rate above --from, which is " + base::shortest(range.from),
             "the rate grows from step to step");
}

int find_rate(const FindOptions& options) {
  require_growth(options.range);
  const runs::PictureFile file(options.output);
  file.require_folder();
  const session::Setup setup(options.setup);
  const rates::RangeTest test = rates::test_range(setup, options.range);
  file.write(rates::picture_of(test, setup.manifest().name));
  if (options.json) {
    print_json(
        object({{"param", text(test.param)},
                {"suggestion", test.suggestion ? number(test.rates[*test.suggestion]) : Value()},
                {"diverged", Value(test.diverged)},
                {"rates", numbers(test.rates)},
                {"losses", numbers(test.losses)},
                {"smooth", numbers(test.smooth)},
                {"picture", text(file.path().string())}}));
    return 0;
  }
  print_result(test, options);
  std::cout << "picture: " << file.path().string() << '\n';
  return 0;
}

}  // namespace

void add_lr_find(CLI::App& app, int& exit_code) {
  static FindOptions options;
  CLI::App* command = app.add_subcommand(
      "lr-find", "Train some steps with a growing learning rate, and suggest one");
  add_manifest_options(*command, options.setup);
  command->add_option("--from", options.range.from, "The rate of the first step; by default 1e-8")
      ->check(base::above_zero());
  command->add_option("--to", options.range.to, "The rate of the last step; by default 1")
      ->check(base::above_zero());
  command->add_option("--steps", options.range.steps, "Number of steps; by default 100")
      ->check(CLI::Range(2, 1000000));
  command->add_option("--param", options.range.param,
                      "The hyper-parameter; by default learning_rate");
  command->add_option("-o,--output", options.output,
                      "The picture, a name that ends with .png, .svg or .pdf; by default "
                      "lr_find.png");
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = find_rate(options); });
}

}  // namespace broch::cli
