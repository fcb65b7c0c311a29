// pt2_writer.cpp: copies an exported program member by member, with other elements in some.
#include <cstring>
#include <map>
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
using Write = archive::ZipWriter::Write;

// Elements of a member that are replaced.
struct Part {
  const Item* item;
  Strided place;
};

// Row by row of the trained tensor, to where the strides say.
void replace(const Part& part, std::string& content) {
  const Tensor& tensor = part.item->tensor;
  const uint64_t size = store::dtype_size(tensor.dtype), count = tensor.elements();
  std::vector<int64_t> index(tensor.shape.size());
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t at = part.place.offset;
    for (size_t d = 0; d < index.size(); ++d) at += uint64_t(index[d] * part.place.strides[d]);
    std::memcpy(content.data() + at * size, part.item->bytes.data() + i * size, size);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < tensor.shape[d]) break;
      index[d] = 0;
    }
  }
}

using Parts = std::map<std::string, std::vector<Part>>;  // by member
using Contents = std::map<std::string, std::string>;     // of whole members

std::string content_of(const Members& members, const ZipMember& member, const Parts& parts,
                       const Contents& contents) {
  if (const auto whole = contents.find(member.name); whole != contents.end()) return whole->second;
  std::string content = members.content(member, UINT64_MAX);
  if (const auto found = parts.find(member.name); found != parts.end())
    for (const Part& part : found->second) replace(part, content);
  return content;
}

// The archive again, with other elements and other members.
void copy(const Members& members, const Parts& parts, const Contents& contents, Write write) {
  archive::ZipWriter zip(std::move(write));
  for (const ZipMember& member : members.all()) {
    const std::string content = content_of(members, member, parts, contents);
    zip.begin(member.name, content.size(), archive::crc32_of(content));
    zip.append(content);
  }
  zip.finish();
}

class Writer {
 public:
  Writer(const std::filesystem::path& source, const std::vector<Item>& items)
      : place_(source.string()), members_(std::make_shared<const archive::File>(place_)) {
    const std::optional<std::string> folder = pt2_folder(members_);
    if (!folder) fail("no exported program", "a file of torch.export.save", "name that file");
    for (const Item& item : items) items_[item.tensor.name] = &item;
    for (const Pt2Part& part : parts_of(members_, *folder)) take(part);
    check_all_used();
  }

  void write(const std::filesystem::path& target) {
    store::AtomicFile file(target);
    copy(members_, parts_, files_,
         [&](std::string_view bytes) { file.write(bytes.data(), bytes.size()); });
    file.commit();
  }

 private:
  [[noreturn]] void fail(const std::string& found, const std::string& expected,
                         const std::string& next) const {
    base::fail(base::Exit::checkpoint, place_, found, expected, next);
  }

  void take(const Pt2Part& part) {
    Parts parts = replaced_in(*part.weights);
    if (part.file.empty()) {
      parts_ = std::move(parts);
      return;
    }
    if (parts.empty()) return;
    std::string& bytes = files_[part.file];
    copy(part.weights->members(), parts, {}, [&](std::string_view more) { bytes += more; });
  }

  Parts replaced_in(const LocatedWeights& weights) {
    Parts parts;
    for (size_t i = 0; i < weights.tensors().size(); ++i) {
      const Tensor& own = weights.tensors()[i];
      const auto found = items_.find(own.name);
      if (found == items_.end()) continue;
      const Tensor& trained = found->second->tensor;
      if (own.dtype != trained.dtype || own.shape != trained.shape)
        fail("tensor " + base::quoted(own.name) + " of another type or shape",
             "that of the trained one", "use the file with which the model was trained");
      parts[weights.place(i).member->name].push_back({found->second, weights.place(i)});
      used_.insert(own.name);
    }
    return parts;
  }

  void check_all_used() const {
    std::vector<std::string> missing;
    for (const auto& [name, item] : items_)
      if (!used_.contains(name)) missing.push_back(name);
    if (!missing.empty())
      fail("no tensors " + base::join(missing, ", "), "one for each that was trained",
           "use the file with which the model was trained");
  }

  const std::string place_;
  const Members members_;
  std::map<std::string, const Item*> items_;
  Parts parts_;
  Contents files_;  // of torch.save, inside of this one
  std::set<std::string> used_;
};

}  // namespace

void write_pt2(const std::filesystem::path& source, const std::filesystem::path& target,
               const std::vector<Item>& items) {
  try {
    Writer(source, items).write(target);
  } catch (const broch::Error& error) {
    throw base::Error(base::Exit::checkpoint, error.what());
  }
}

}  // namespace broch::weights
