// edit.cpp: selects, converts, averages and writes.
#include "weights/edit.hpp"

#include <algorithm>
#include <map>

#include "archive/inflate.hpp"
#include "archive/npy_header.hpp"
#include "archive/zip_writer.hpp"
#include "base/text.hpp"
#include "runtime/update_rule.hpp"
#include "store/atomic_file.hpp"
#include "store/checkpoint.hpp"
#include "weights/values.hpp"

namespace broch::weights {
namespace {

namespace fs = std::filesystem;
using base::Exit;
using store::Dtype;

bool is_in(const Tensor& tensor, const char* collection) {
  return std::ranges::find(tensor.collections, collection) != tensor.collections.end();
}

const char* descr_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::boolean:
      return "|b1";
    case Dtype::u8:
      return "|u1";
    case Dtype::i8:
      return "|i1";
    case Dtype::i16:
      return "<i2";
    case Dtype::u16:
      return "<u2";
    case Dtype::f16:
      return "<f2";
    case Dtype::i32:
      return "<i4";
    case Dtype::u32:
      return "<u4";
    case Dtype::f32:
      return "<f4";
    case Dtype::c64:
      return "<c8";
    case Dtype::f64:
      return "<f8";
    case Dtype::i64:
      return "<i8";
    case Dtype::u64:
      return "<u8";
    case Dtype::bf16:
    case Dtype::f8_e4m3:
    case Dtype::f8_e5m2:
      break;
  }
  return nullptr;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void save_npz(const fs::path& file, const std::vector<Item>& items) {
  for (const Item& item : items)
    if (!descr_of(item.tensor.dtype))
      base::fail(Exit::data, file.string(),
                 "the tensor " + base::quoted(item.tensor.name) + " of type " +
                     std::string(store::dtype_name(item.tensor.dtype)) +
                     ", which NumPy does not have",
                 "a type of NumPy", "add --dtype float32, or write a .safetensors file");
  store::AtomicFile target(file);
  archive::ZipWriter zip([&](std::string_view bytes) { target.write(bytes.data(), bytes.size()); });
  for (const Item& item : items) {
    const std::string header = archive::npy_header(descr_of(item.tensor.dtype), item.tensor.shape);
    const uint32_t crc = archive::crc32_of(text_of(item.bytes), archive::crc32_of(header));
    zip.begin(item.tensor.name + ".npy", header.size() + item.bytes.size(), crc);
    zip.append(header);
    zip.append(text_of(item.bytes));
  }
  zip.finish();
  target.commit();
}

store::TensorView view_of(const Item& item) {
  return {item.tensor.name, item.tensor.dtype, item.tensor.shape, item.bytes};
}

void save_safetensors(const fs::path& file, const std::vector<Item>& items) {
  std::vector<store::TensorView> views;
  for (const Item& item : items) views.push_back(view_of(item));
  // Hugging Face's transformers refuse a file that does not say this.
  store::write_safetensors(file, std::move(views), {{"format", "pt"}});
}

void save_checkpoint(const fs::path& file, const std::vector<Item>& items) {
  if (file.extension() != ".safetensors")
    base::fail(Exit::data, file.string(), "this name for a checkpoint", "one with .safetensors",
               "choose another name");
  store::CheckpointContents contents;
  for (const Item& item : items) {
    std::vector<std::string> collections = item.tensor.collections;
    if (collections.empty()) collections = {"GLOBAL"};
    contents.variables.push_back({view_of(item), std::move(collections)});
  }
  store::write_checkpoint(file.parent_path(), file.stem().string(), contents);
}

void require_unique(const std::vector<Item>& items, const std::string& place) {
  std::map<std::string_view, int> counts;
  for (const Item& item : items)
    if (++counts[item.tensor.name] > 1)
      base::fail(Exit::checkpoint, place,
                 "two tensors that become " + base::quoted(item.tensor.name), "a name for each",
                 "correct --rename, or leave one of them out with --exclude");
}

void replace_bytes(Item& item, std::vector<std::byte> bytes) {
  item.room = std::move(bytes);
  item.bytes = item.room;
}

void convert(Item& item, Dtype dtype) {
  if (!is_float(item.tensor.dtype) || item.tensor.dtype == dtype) return;
  replace_bytes(item, converted(item.bytes, item.tensor.dtype, dtype));
  item.tensor.dtype = dtype;
}

// What an average adds: a complex number is two floats.
struct Floats {
  uint64_t count;  // 0: the tensor has none
  Dtype dtype;
};
Floats floats_of(const Tensor& tensor) {
  if (tensor.dtype == Dtype::c64) return {2 * tensor.elements(), Dtype::f32};
  return {is_float(tensor.dtype) ? tensor.elements() : 0, tensor.dtype};
}

Item taken(const Weights& weights, size_t index, const Selection& selection) {
  Item item{weights.tensors()[index]};
  item.bytes = weights.read(index, item.room);
  Tensor& tensor = item.tensor;
  if (selection.rules && selection.rules->transposes(tensor.name, tensor.shape)) {
    replace_bytes(item, transposed(item.bytes, tensor.shape, store::dtype_size(tensor.dtype)));
    tensor.shape = transposed(tensor.shape);
  }
  if (selection.dtype) convert(item, *selection.dtype);
  if (selection.rules) tensor.name = selection.rules->renamed(tensor.name);
  return item;
}

}  // namespace

bool is_training_name(const std::string& full_name) {
  const std::string name = without_output(full_name);
  if (name == "global_step" || name == "learning_rate") return true;
  for (const char* prefix : {"EMA/", "apply_gradients/", "AccumGrad/"})
    if (name.starts_with(prefix)) return true;
  for (const runtime::UpdateRule& rule : runtime::update_rules())
    for (const runtime::RuleSlot& slot : rule.slots)
      if (name.ends_with(std::string("/") + slot.name)) return true;
  if (runtime::is_update_count(name) || runtime::has_own_count(name)) return true;
  // Of hyper-parameters, then of TensorFlow.
  for (const char* suffix :
       {"/learning_rate", "/momentum", "/AccumGrad", "/Adam", "/Adam_1", "/Momentum", "/Adadelta",
        "/Adadelta_1", "/RMSProp", "/RMSProp_1", "/Adagrad"})
    if (name.ends_with(suffix)) return true;
  return false;
}

bool is_weight(const Tensor& tensor) {
  if (tensor.collections.empty()) return !is_training_name(tensor.name);
  return is_in(tensor, "TRAINABLE") || is_in(tensor, "MODEL");
}

std::vector<Item> select(const Weights& weights, const Selection& selection,
                         const std::string& place) {
  if (selection.rules && !selection.unmatched_rules) {
    std::set<std::string> names;
    for (const Tensor& tensor : weights.tensors()) names.insert(tensor.name);
    selection.rules->require_matches(names);
  }
  std::vector<Item> items;
  for (size_t i = 0; i < weights.tensors().size(); ++i) {
    const Tensor& tensor = weights.tensors()[i];
    if (is_in(tensor, "LOCAL") || (selection.weights_only && !is_weight(tensor))) continue;
    if (selection.rules && !selection.rules->reason(tensor.name).empty()) continue;
    items.push_back(taken(weights, i, selection));
  }
  if (items.empty())
    base::fail(Exit::checkpoint, place, "no tensor that is wanted", "at least one",
               "broch ckpt inspect lists what the file has");
  require_unique(items, place);
  return items;
}

void Average::add(const std::vector<Item>& items, const std::string& place) {
  std::map<std::string, const Item*> by_name;
  for (const Item& item : items) by_name[item.tensor.name] = &item;
  const auto fail = [&](const std::string& found, const std::string& expected) {
    base::fail(Exit::checkpoint, place, found, expected,
               "average files of one model, or leave tensors out with --exclude");
  };
  if (count_ == 0)
    for (const Item& item : items) {
      last_.push_back({item.tensor});
      sums_.emplace_back(floats_of(item.tensor).count);
    }
  if (items.size() != last_.size())
    fail(std::to_string(items.size()) + " tensors",
         std::to_string(last_.size()) + ", as in the first file");
  for (size_t i = 0; i < last_.size(); ++i) {
    Item& last = last_[i];
    const auto found = by_name.find(last.tensor.name);
    if (found == by_name.end())
      fail("no tensor " + base::quoted(last.tensor.name), "one, as in the first file");
    const Item& item = *found->second;
    if (item.tensor.dtype != last.tensor.dtype || item.tensor.shape != last.tensor.shape)
      fail("another type or shape of " + base::quoted(last.tensor.name), "those of the first file");
    last.room.assign(item.bytes.begin(), item.bytes.end());
    const Dtype dtype = floats_of(item.tensor).dtype;
    for (size_t k = 0; k < sums_[i].size(); ++k)
      sums_[i][k] += to_double(item.bytes.data() + k * store::dtype_size(dtype), dtype);
  }
  ++count_;
}

std::vector<Item> Average::result() const {
  std::vector<Item> items;
  for (size_t i = 0; i < last_.size(); ++i) {
    Item& item = items.emplace_back(Item{last_[i].tensor, last_[i].room});
    const Dtype dtype = floats_of(item.tensor).dtype;
    for (size_t k = 0; k < sums_[i].size(); ++k)
      from_double(sums_[i][k] / double(count_), item.room.data() + k * store::dtype_size(dtype),
                  dtype);
  }
  for (Item& item : items) item.bytes = item.room;
  return items;
}

void convert(std::vector<Item>& items, Dtype dtype) {
  for (Item& item : items) convert(item, dtype);
}

std::optional<Format> format_of(const fs::path& file) {
  if (file.extension() == ".npz") return Format::npz;
  if (file.extension() == ".safetensors") return Format::safetensors;
  return std::nullopt;
}

void save(const fs::path& file, Format format, const std::vector<Item>& items) {
  switch (format) {
    case Format::safetensors:
      return save_safetensors(file, items);
    case Format::checkpoint:
      return save_checkpoint(file, items);
    case Format::npz:
      return save_npz(file, items);
  }
}

}  // namespace broch::weights
