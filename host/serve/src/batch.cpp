// batch.cpp: joins inputs, and divides outputs.
#include "batch.hpp"

#include <bit>
#include <cstring>

#include "refusal.hpp"

namespace broch::serve {
namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

size_t row_bytes(const runtime::TensorInfo& info, int64_t rows) {
  return size_t(info.shape.elements() / std::max<int64_t>(1, rows)) *
         runtime::dtype_size(info.dtype);
}

// The inputs of all requests, one after the other, and copies of the last row up to `rows`.
class Joined {
 public:
  Joined(const std::vector<Job>& jobs, int64_t rows) {
    for (size_t input = 0; input < jobs[0].request.inputs.size(); ++input) {
      runtime::TensorInfo info = jobs[0].request.inputs[input];
      const size_t bytes = row_bytes(info, jobs[0].rows);
      info.shape.dims[0] = rows;
      inputs.push_back(info);
      std::byte* to =
          (memory_.emplace_back(new std::byte[std::max<size_t>(1, bytes * size_t(rows))])).get();
      data.push_back(to);
      int64_t left = rows;
      for (const Job& job : jobs) {
        std::memcpy(to, job.request.data[input], bytes * size_t(job.rows));
        to += bytes * size_t(job.rows);
        left -= job.rows;
      }
      for (; left > 0; --left, to += bytes) std::memcpy(to, to - bytes, bytes);
    }
  }

  std::vector<runtime::TensorInfo> inputs;
  std::vector<const std::byte*> data;

 private:
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

std::vector<bool> wanted_by(const std::vector<Job>& jobs) {
  std::vector<bool> wanted(jobs[0].model->signature().outputs.size());
  for (const Job& job : jobs)
    for (const InferRequest::Wanted& one : job.request.outputs) wanted[one.output] = true;
  return wanted;
}

// The outputs that the request wants, of rows that begin at `first`. total: rows of all; 0: the
// model has no rows.
Outputs part(const Outputs& all, const Job& job, int64_t first, int64_t total) {
  Outputs outputs;
  for (const InferRequest::Wanted& one : job.request.outputs) {
    Output output = all[one.output];
    if (total > 0) {
      output.data += row_bytes(output.info, total) * size_t(first);
      output.info.shape.dims[0] = job.rows;
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Outputs run(const std::vector<Job>& jobs, int64_t rows, int64_t computed,
            const std::atomic<bool>& stop) {
  Model& model = *jobs[0].model;
  if (jobs.size() == 1 && computed == rows)
    return model.run(jobs[0].request.inputs, jobs[0].request.data.data(), wanted_by(jobs), &stop);
  const Joined joined(jobs, computed);
  return model.run(joined.inputs, joined.data.data(), wanted_by(jobs), &stop);
}

void compute_alone(std::vector<Job> jobs, int64_t most_rows, const std::atomic<bool>& stop) {
  for (Job& job : jobs) {
    std::vector<Job> one;
    one.push_back(std::move(job));
    compute(std::move(one), most_rows, stop);
  }
}

}  // namespace

void fail(const Job& job, const Refusal& refusal) noexcept {
  try {
    job.failed(refusal);
  } catch (const std::exception&) {  // no memory for an answer; the connection is closed
  }
}

Refusal too_late() {
  return {kTooLate,
          "the request: no result in time, expected one; ask for less at once, or serve with a "
          "longer --timeout"};
}

int64_t padded(int64_t rows) {
  const auto bits = uint64_t(rows);
  const uint64_t highest = std::bit_floor(bits);
  for (const uint64_t size : {highest, highest + highest / 2})
    if (size >= bits) return int64_t(size);
  return int64_t(2 * highest);
}

void compute(std::vector<Job> jobs, int64_t most_rows, const std::atomic<bool>& stop) {
  Model& model = *jobs[0].model;
  const bool has_rows = model.batch_symbol().has_value();
  int64_t rows = 0;
  std::vector<double> waited;
  for (const Job& job : jobs) {
    rows += job.rows;
    waited.push_back(seconds_since(job.arrived));
  }
  const int64_t computed = has_rows && rows <= most_rows ? padded(rows) : rows;
  Outputs outputs;
  try {
    const Clock::time_point start = Clock::now();
    outputs = run(jobs, rows, computed, stop);
    model.metrics().computed(waited, seconds_since(start), rows);
  } catch (const std::exception&) {
    if (jobs.size() > 1 && !stop) return compute_alone(std::move(jobs), most_rows, stop);
    const Refusal refusal = stop ? too_late() : current_refusal();
    for (const Job& job : jobs) fail(job, refusal);
    return;
  }
  int64_t first = 0;
  for (Job& job : jobs) {
    try {
      Outputs own = part(outputs, job, first, has_rows ? computed : 0);
      job.done(std::move(job.request), std::move(own));
    } catch (const std::exception&) {
      fail(job, current_refusal());
    }
    first += job.rows;
  }
}

}  // namespace broch::serve
