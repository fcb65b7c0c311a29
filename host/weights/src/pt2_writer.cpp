// pt2_writer.cpp: copies an exported program member by member, with other elements in some.
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "archive/inflate.hpp"
#include "archive/zip_writer.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "broch/cpp/error.hpp"
#include "pt2_layout.hpp"
#include "store/atomic_file.hpp"
#include "weights/pt2.hpp"

namespace broch::weights {
namespace {

using archive::ZipMember;
using Json = nlohmann::json;

constexpr uint64_t kMostConfig = uint64_t{1} << 26;

class Writer {
 public:
  Writer(const std::filesystem::path& source, const std::vector<Item>& items)
      : place_(source.string()),
        members_(std::make_shared<const archive::File>(source.string())),
        own_(open(source)) {
    for (const Item& item : items) items_[item.tensor.name] = &item;
    for (const ZipMember& member : members_.all())
      if (const size_t end = member.name.find("/models/"); end != std::string::npos)
        folder_ = member.name.substr(0, end + 1);
    const std::string model = model_of(members_, folder_);
    if (!members_.find(folder_ + "data/weights/" + model + "_weights_config.json"))
      fail("an exported program of PyTorch 2.8 or older", "one of PyTorch 2.9 or newer",
           "load it in Python with torch.export.load, and save it again with torch.export.save");
    plan("data/weights/", model + "_weights_config.json");
    plan("data/constants/", model + "_constants_config.json");
    check_all_used();
  }

  void write(const std::filesystem::path& target) {
    store::AtomicFile file(target);
    archive::ZipWriter zip([&](std::string_view bytes) { file.write(bytes.data(), bytes.size()); });
    for (const ZipMember& member : members_.all()) {
      const std::string content = changed(member);
      zip.begin(member.name, content.size(), archive::crc32_of(content));
      zip.append(content);
    }
    zip.finish();
    file.commit();
  }

 private:
  // Elements of a member that are replaced.
  struct Part {
    const Item* item;
    uint64_t offset;  // in elements
    std::vector<int64_t> strides;
  };

  [[noreturn]] void fail(const std::string& found, const std::string& expected,
                         const std::string& next) const {
    base::fail(base::Exit::checkpoint, place_, found, expected, next);
  }

  // open() has checked the numbers of these files.
  void plan(const std::string& folder, const std::string& name) {
    const ZipMember* const member = members_.find(folder_ + folder + name);
    if (!member) return;
    const Json json = Json::parse(members_.content(*member, kMostConfig));
    for (const auto& [tensor, facts] : json.at("config").items()) {
      const auto found = items_.find(tensor);
      if (found == items_.end() || facts.at("use_pickle") != false) continue;
      check_type(*found->second);
      Part part{found->second, facts["tensor_meta"]["storage_offset"]["as_int"], {}};
      for (const Json& stride : facts["tensor_meta"]["strides"])
        part.strides.push_back(stride["as_int"]);
      parts_[folder_ + folder + facts["path_name"].get<std::string>()].push_back(std::move(part));
      used_.insert(tensor);
    }
  }

  void check_type(const Item& item) const {
    for (const Tensor& own : own_->tensors()) {
      if (own.name != item.tensor.name) continue;
      if (own.dtype != item.tensor.dtype || own.shape != item.tensor.shape)
        fail("tensor " + base::quoted(own.name) + " of another type or shape",
             "that of the trained one", "use the file with which the model was trained");
    }
  }
  void check_all_used() const {
    std::vector<std::string> missing;
    for (const auto& [name, item] : items_)
      if (!used_.contains(name)) missing.push_back(name);
    if (!missing.empty())
      fail("no tensors " + base::join(missing, ", "), "one for each that was trained",
           "use the file with which the model was trained");
  }

  std::string changed(const ZipMember& member) const {
    std::string content = members_.content(member, UINT64_MAX);
    const auto found = parts_.find(member.name);
    if (found == parts_.end()) return content;
    for (const Part& part : found->second) replace(part, content);
    return content;
  }
  // Row by row of the trained tensor, to where the strides say.
  static void replace(const Part& part, std::string& content) {
    const Tensor& tensor = part.item->tensor;
    const uint64_t size = store::dtype_size(tensor.dtype), count = tensor.elements();
    std::vector<int64_t> index(tensor.shape.size());
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t at = part.offset;
      for (size_t d = 0; d < index.size(); ++d) at += uint64_t(index[d] * part.strides[d]);
      std::memcpy(content.data() + at * size, part.item->bytes.data() + i * size, size);
      for (size_t d = index.size(); d-- > 0;) {
        if (++index[d] < tensor.shape[d]) break;
        index[d] = 0;
      }
    }
  }

  const std::string place_;
  const Members members_;
  const std::unique_ptr<Weights> own_;
  std::string folder_;
  std::map<std::string, const Item*> items_;
  std::map<std::string, std::vector<Part>> parts_;  // by member
  std::set<std::string> used_;
};

}  // namespace

void write_pt2(const std::filesystem::path& source, const std::filesystem::path& target,
               const std::vector<Item>& items) {
  try {
    Writer(source, items).write(target);
  } catch (const broch::Error& error) {
    throw base::Error(base::Exit::checkpoint, error.what());
  } catch (const Json::exception& error) {
    throw base::Error(base::Exit::checkpoint, source.string() + ": " + error.what());
  }
}

}  // namespace broch::weights
