// predict.cpp: reads batches, computes them on all towers, and keeps the rows in order.
#include "predict/predict.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <limits>

#include "base/log.hpp"
#include "base/new_file.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "batches.hpp"
#include "data/new_files.hpp"
#include "formats.hpp"
#include "ranking_file.hpp"
#include "rows.hpp"

namespace broch::predict {
namespace {

using base::Exit;
using runtime::Tensor;

std::string identity_of(Model& model, const Source& source, const Options& options) {
  std::string text = "1\n" + options.identity + "\n" + source.text;
  for (const abi::InputSpec& input : model.inputs()) text += input.name + "\n";
  // What --input says of data without names.
  text += "\n" + base::join(model.ports().order, "\n") + "\n\n";
  text += base::join(model.outputs(), "\n") + "\n" + std::to_string(options.batch_size) + "\n" +
          std::to_string(options.limit) + "\n" + model.backend().version() + "\n";
  return text;
}

// float16 and bfloat16, which few programs read, become float32.
broch_dtype written_dtype(broch_dtype dtype) {
  return runtime::is_floating(dtype) && dtype != BROCH_FLOAT64 ? BROCH_FLOAT32 : dtype;
}

class Prediction {
 public:
  Prediction(Model& model, Source& source, const Options& options, session::Ui& ui)
      : model_(model),
        source_(source),
        options_(options),
        ui_(ui),
        format_(format_of(options.output)),
        ranking_(options.ranking),
        rows_(options.output, identity_of(model, source, options)) {}

  Predicted run() {
    plan::Interrupt& interrupt =
        options_.interrupt ? *options_.interrupt : source_.flow->bench().interrupt();
    if (!options_.interrupt) interrupt.install();
    data::FlowReader reader = reader_of(source_);
    Batches batches(reader, model_.ports(), model_.backend(), options_.batch_size);
    Predicted done;
    done.continued = rows_.count();
    if (rows_.count() > 0) {
      base::info("continuing after " + base::counted(rows_.count(), "sample"));
      if (rows_.cursor())
        reader.resume(*rows_.cursor());
      else
        batches.skip(rows_.count());
    }
    size_ = reader.size();
    const auto start = std::chrono::steady_clock::now();
    compute(batches, interrupt);
    ui_.end(this);
    done.samples = rows_.count();
    done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (interrupt.raised()) {
      done.interrupted = interrupt.exit();
      return done;
    }
    if (rows_.count() == 0)
      base::fail(Exit::data, source_.flow->component().use, "no points", "at least one",
                 "broch data show shows what a dataflow yields");
    data::NewFiles files(options_.output, options_.replace);
    write(files.path());
    done.files = files.move_into_place();
    rows_.remove();
    return done;
  }

 private:
  struct Task {
    Batch batch;
    std::future<std::vector<Tensor>> outputs;
  };

  int64_t most() const {
    return options_.limit ? options_.limit : std::numeric_limits<int64_t>::max();
  }

  void begin_bar(const Batch& first, bool single) {
    int64_t total = size_ ? *size_ * (single ? 1 : first.rows) : 0;
    if (options_.limit) total = total ? std::min(total, options_.limit) : options_.limit;
    ui_.begin(this, "predict", total);
    // What an interrupted command has predicted says nothing about the rate of this one.
    if (rows_.count() > 0) ui_.advance(this, rows_.count());
  }

  // Each tower has a batch of its own; this thread reads the next ones meanwhile.
  void compute(Batches& batches, plan::Interrupt& interrupt) {
    std::deque<Task> tasks;
    int64_t begun = rows_.count();
    size_t tower = 0;
    while (!interrupt.raised()) {
      Batch batch = batches.next(most() - begun);
      if (batch.inputs.empty()) break;
      if (!batches.single()) require_row_of_file(batch.rows);
      if (tasks.empty() && !begun_) begin_bar(batch, batches.single());
      begun += batch.rows;
      if (tasks.size() == model_.towers()) take(tasks);
      Task task{std::move(batch), {}};
      task.outputs = std::async(std::launch::async, [this, tower, inputs = task.batch.inputs] {
        return model_.call(tower, inputs);
      });
      tasks.push_back(std::move(task));
      tower = (tower + 1) % model_.towers();
    }
    while (!tasks.empty()) take(tasks);
  }

  // Writes the rows of the batch that was begun first.
  void take(std::deque<Task>& tasks) {
    Task task = std::move(tasks.front());
    tasks.pop_front();
    const std::vector<Tensor> outputs = task.outputs.get();
    const Batch& batch = task.batch;
    std::vector<Column> columns;
    std::vector<std::string> bytes;
    for (size_t i = 0; i < outputs.size(); ++i) {
      columns.push_back(column_of(model_.outputs()[i], outputs[i], batch));
      bytes.push_back(bytes_of(outputs[i], columns.back(), batch.rows));
    }
    take_columns(columns);
    rows_.add(batch.rows, bytes, batch.has_cursor ? std::optional(batch.cursor) : std::nullopt);
    ui_.advance(this, rows_.count());
  }

  Column column_of(const std::string& name, const Tensor& output, const Batch& batch) const {
    const runtime::TensorInfo info = model_.backend().info(output);
    require_rows(name, info, batch);
    Column column{name, written_dtype(info.dtype), {}};
    column.row.rank = info.shape.rank - 1;
    std::copy_n(info.shape.dims.begin() + 1, column.row.rank, column.row.dims.begin());
    return column;
  }

  // The first rows of an output; what lies behind them is padding.
  std::string bytes_of(const Tensor& output, const Column& column, int64_t rows) const {
    runtime::Backend& backend = model_.backend();
    std::string bytes(size_t(backend.info(output).shape.dims[0]) * column.bytes(), '\0');
    backend.copy_out(output, column.dtype, bytes.data(), bytes.size());
    bytes.resize(size_t(rows) * column.bytes());
    return bytes;
  }

  // Those of the first batch are the ones of the file.
  void take_columns(const std::vector<Column>& columns) {
    if (!begun_) {
      check_format(columns);
      rows_.begin(columns);
    } else if (columns != rows_.columns()) {
      base::fail(Exit::data, "sample " + std::to_string(rows_.count()),
                 "outputs of another shape than those before", "equal shapes",
                 "make all samples equally large");
    }
    begun_ = true;
  }

  // A point is a file, if there are any.
  void require_row_of_file(int64_t rows) const {
    if (!source_.files.empty() && rows != 1)
      base::fail(Exit::data, "--data " + source_.words,
                 base::counted(rows, "sample") + " of a file", "one sample for each file",
                 "write a dataflow as JSON with other transforms");
  }

  void require_rows(const std::string& name, const runtime::TensorInfo& info,
                    const Batch& batch) const {
    const runtime::Shape first = model_.backend().info(batch.inputs[0]).shape;
    if (info.shape.rank == 0 || info.shape.dims[0] != first.dims[0])
      base::fail(Exit::usage, "output '" + name + "'", runtime::type_text(info.dtype, info.shape),
                 "a row for each of " + base::counted(first.dims[0], "sample"),
                 "choose other outputs with --name");
  }

  void write(const std::filesystem::path& to) {
    if (ranking_.top == 0) return format_.write(rows_, source_.files, to);
    check_scores(rows_.columns(), ranking_);  // an earlier process may have made all rows
    write_ranking(rows_, source_.files, ranking_, *format_.ranking, to);
  }

  void check_format(const std::vector<Column>& columns) {
    const std::string problem = format_.problem(columns);
    if (!problem.empty())
      base::fail(Exit::usage, "--output " + options_.output.string(), problem, "", "");
    for (const Column& column : columns)
      if (runtime::dtype_size(column.dtype) == 0 || column.dtype == BROCH_COMPLEX64 ||
          column.dtype == BROCH_COMPLEX128)
        base::fail(Exit::usage, "output '" + column.name + "'", runtime::dtype_name(column.dtype),
                   "real numbers", "choose another output");
    if (ranking_.top > 0) check_scores(columns, ranking_);
  }

  Model& model_;
  Source& source_;
  const Options& options_;
  session::Ui& ui_;
  const Format& format_;
  Ranking ranking_;
  Rows rows_;
  std::optional<int64_t> size_;  // points
  bool begun_ = false;
};

}  // namespace

Predicted predict(Model& model, Source& source, const Options& options, session::Ui& ui) {
  if (!options.replace) base::require_new(options.output);
  try {
    return Prediction(model, source, options, ui).run();
  } catch (const base::Error& error) {
    if (source.words.empty()) throw;
    throw about_files(source, error);
  }
}

}  // namespace broch::predict
