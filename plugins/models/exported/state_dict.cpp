// state_dict.cpp: a reader of pickles that makes numbers, texts, tuples, lists, dicts and tensors,
// and nothing else. The opcodes are those of pickletools in Python.
#include "models/exported/state_dict.hpp"

#include <broch/cpp/dtype.hpp>
#include <cstring>
#include <deque>

#include "archive/zip.hpp"
#include "arrays/diagnostic.hpp"

namespace exported {
namespace {

constexpr size_t kMostValues = 4000000;
const char* const kExportAgain = "export the model again with torch 2.10 or later";

struct Value {
  enum class Kind { none, number, text, list, dict, function, storage, tensor };
  Kind kind = Kind::none;
  int64_t number = 0;
  std::string text;           // of a function: "collections.OrderedDict"; of a storage: its entry
  std::vector<Value*> items;  // of a dict: key, value, key, value, …
  Layout layout;              // of a storage: its dtype
  bool is_parameter = false;
};

struct StorageType {
  const char* name;
  int64_t torch_dtype;
};
constexpr StorageType kStorages[] = {
    {"torch.ByteStorage", 1},          {"torch.CharStorage", 2},
    {"torch.ShortStorage", 3},         {"torch.IntStorage", 4},
    {"torch.LongStorage", 5},          {"torch.HalfStorage", 6},
    {"torch.FloatStorage", 7},         {"torch.DoubleStorage", 8},
    {"torch.ComplexFloatStorage", 10}, {"torch.ComplexDoubleStorage", 11},
    {"torch.BoolStorage", 12},         {"torch.BFloat16Storage", 13}};

class Unpickler {
 public:
  Unpickler(std::string_view bytes, const std::string& place) : bytes_(bytes), place_(place) {}

  // The object at the top of the stack when the pickle stops.
  const Value& run() {
    while (step()) {
    }
    return *pop();
  }

 private:
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    arrays::refuse(place_ + ", byte " + std::to_string(at_), found, expected, kExportAgain);
  }

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, text(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text(uint64_t size) {
    if (size > bytes_.size() - at_)
      refuse("the end of the pickle", std::to_string(size) + " bytes");
    const std::string_view part = bytes_.substr(at_, size);
    at_ += size;
    return part;
  }
  std::string line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos || end - at_ > 1000) refuse("no end of a line", "one");
    const std::string part(text(end - at_));
    ++at_;
    return part;
  }

  Value* make(Value::Kind kind) {
    if (values_.size() >= kMostValues)
      refuse("more than " + std::to_string(kMostValues) + " values", "fewer");
    values_.emplace_back().kind = kind;
    return &values_.back();
  }
  void push(Value* value) { stack_.push_back(value); }
  void push_number(int64_t number) {
    Value* value = make(Value::Kind::number);
    value->number = number;
    push(value);
  }
  void push_text(std::string_view text) {
    Value* value = make(Value::Kind::text);
    value->text = text;
    push(value);
  }
  Value* pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back()))
      refuse("an empty stack", "a value");
    Value* value = stack_.back();
    stack_.pop_back();
    return value;
  }
  Value* top(Value::Kind kind, const char* words) {
    if (stack_.empty() || stack_.back()->kind != kind) refuse("something else", words);
    return stack_.back();
  }
  std::vector<Value*> pop_to_mark() {
    if (marks_.empty()) refuse("no mark", "a mark");
    std::vector<Value*> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()),
                              stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }
  void push_list(std::vector<Value*> items) {
    Value* value = make(Value::Kind::list);
    value->items = std::move(items);
    push(value);
  }
  void push_last(size_t count) {
    std::vector<Value*> items(count);
    for (size_t i = count; i-- > 0;) items[i] = pop();
    push_list(std::move(items));
  }
  Value* memo(uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) refuse("nothing kept as " + std::to_string(index), "a value");
    return found->second;
  }
  void keep(uint64_t index) {
    if (stack_.empty()) refuse("an empty stack", "a value");
    memo_[index] = stack_.back();
  }
  void add(Value::Kind kind, const char* words, const std::vector<Value*>& items) {
    if (kind == Value::Kind::dict && items.size() % 2) refuse("a key without a value", "one");
    Value* to = top(kind, words);
    to->items.insert(to->items.end(), items.begin(), items.end());
  }

  bool step() {
    const uint8_t code = number<uint8_t>();
    switch (code) {
      case 0x80:  // PROTO
        number<uint8_t>();
        return true;
      case 0x95:  // FRAME
        number<uint64_t>();
        return true;
      case '.':
        return false;
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case 'N':
        push(make(Value::Kind::none));
        return true;
      case 0x88:
      case 0x89:
        push_number(code == 0x88);
        return true;
      case 'J':
        push_number(number<int32_t>());
        return true;
      case 'K':
        push_number(number<uint8_t>());
        return true;
      case 'M':
        push_number(number<uint16_t>());
        return true;
      case 0x8a:
        push_long();
        return true;
      case 'X':
        push_text(text(number<uint32_t>()));
        return true;
      case 0x8c:
        push_text(text(number<uint8_t>()));
        return true;
      case ')':
      case ']':
        push_list({});
        return true;
      case '}':
        push(make(Value::Kind::dict));
        return true;
      case 't':
        push_list(pop_to_mark());
        return true;
      case 0x85:
      case 0x86:
      case 0x87:
        push_last(size_t(code - 0x84));
        return true;
      case 'a': {
        Value* item = pop();
        add(Value::Kind::list, "a list", {item});
        return true;
      }
      case 'e':
        add(Value::Kind::list, "a list", pop_to_mark());
        return true;
      case 's': {
        Value* value = pop();
        Value* key = pop();
        add(Value::Kind::dict, "a dict", {key, value});
        return true;
      }
      case 'u':
        add(Value::Kind::dict, "a dict", pop_to_mark());
        return true;
      case 'q':
        keep(number<uint8_t>());
        return true;
      case 'r':
        keep(number<uint32_t>());
        return true;
      case 0x94:
        keep(memo_.size());
        return true;
      case 'h':
        push(memo(number<uint8_t>()));
        return true;
      case 'j':
        push(memo(number<uint32_t>()));
        return true;
      case 'c': {
        const std::string module = line();
        push_function(module + "." + line());
        return true;
      }
      case 0x93: {
        const std::string name = pop_text();
        push_function(pop_text() + "." + name);
        return true;
      }
      case 'Q':
        push_storage(pop());
        return true;
      case 'R': {
        Value* arguments = pop();
        push(called(*pop(), *arguments));
        return true;
      }
      case 'b':  // attributes, such as _metadata of a state_dict
        pop();
        if (stack_.empty()) refuse("an empty stack", "an object");
        return true;
      default:
        refuse("opcode " + std::to_string(code) + " of a pickle", "what a dict of tensors needs");
    }
  }

  void push_long() {
    const uint8_t size = number<uint8_t>();
    if (size > 8) refuse("a number of " + std::to_string(size) + " bytes", "at most 8");
    const std::string_view part = text(size);
    uint64_t value = size && (part[size - 1u] & 0x80) ? ~uint64_t{0} : 0;
    std::memcpy(&value, part.data(), size);
    push_number(int64_t(value));
  }
  std::string pop_text() {
    Value* value = pop();
    if (value->kind != Value::Kind::text) refuse("something else", "a text");
    return value->text;
  }

  void push_function(const std::string& name) {
    static const char* const kKnown[] = {"collections.OrderedDict",
                                         "torch._utils._rebuild_tensor_v2",
                                         "torch._utils._rebuild_parameter"};
    Value* value = make(Value::Kind::function);
    value->text = name;
    push(value);
    for (const char* known : kKnown)
      if (name == known) return;
    for (const StorageType& storage : kStorages)
      if (name == storage.name) return;
    refuse("a use of " + arrays::quoted(name) + ", which would be executed in Python",
           "plain tensors and parameters");
  }

  const Value& argument(const Value& list, size_t index, Value::Kind kind,
                        const char* words) const {
    if (list.kind != Value::Kind::list || list.items.size() <= index ||
        list.items[index]->kind != kind)
      refuse("other arguments", words);
    return *list.items[index];
  }

  // ("storage", torch.FloatStorage, "0", "cpu", 12)
  void push_storage(Value* id) {
    const Value& type = argument(*id, 1, Value::Kind::function, "the id of a storage");
    Value* value = make(Value::Kind::storage);
    value->text = argument(*id, 2, Value::Kind::text, "the id of a storage").text;
    for (const StorageType& storage : kStorages)
      if (type.text == storage.name) value->layout.meta.torch_dtype = storage.torch_dtype;
    value->layout.meta.dtype = dtype_of_torch(value->layout.meta.torch_dtype);
    if (!value->layout.meta.dtype)
      refuse("a storage of type " + arrays::quoted(type.text), "a known one");
    push(value);
  }

  Value* called(const Value& function, const Value& arguments) {
    if (function.kind != Value::Kind::function) refuse("a call of something else", "a function");
    if (function.text == "collections.OrderedDict") return make(Value::Kind::dict);
    if (function.text == "torch._utils._rebuild_parameter") {
      Value* value = make(Value::Kind::tensor);
      *value = argument(arguments, 0, Value::Kind::tensor, "a tensor");
      value->is_parameter = true;
      value->layout.meta.requires_grad =
          argument(arguments, 1, Value::Kind::number, "whether it is trained").number != 0;
      return value;
    }
    if (function.text == "torch._utils._rebuild_tensor_v2") return rebuilt(arguments);
    refuse("a call of " + arrays::quoted(function.text), "a function that makes a tensor");
  }

  // (storage, offset, size, stride, requires_grad, hooks)
  Value* rebuilt(const Value& arguments) {
    const char* const words = "the arguments of a tensor";
    const Value& storage = argument(arguments, 0, Value::Kind::storage, words);
    const Value& sizes = argument(arguments, 2, Value::Kind::list, words);
    const Value& strides = argument(arguments, 3, Value::Kind::list, words);
    if (sizes.items.size() != strides.items.size() || sizes.items.size() > 64)
      refuse("sizes and strides of different lengths", words);
    Value* value = make(Value::Kind::tensor);
    value->text = storage.text;
    value->layout.meta = storage.layout.meta;
    value->layout.offset = argument(arguments, 1, Value::Kind::number, words).number;
    value->layout.meta.requires_grad =
        argument(arguments, 4, Value::Kind::number, words).number != 0;
    for (size_t d = 0; d < sizes.items.size(); ++d) {
      const int64_t size = argument(sizes, d, Value::Kind::number, words).number;
      if (size < 0) refuse("a size below 0", words);
      value->layout.meta.sizes.push_back({size, "", {}});
      value->layout.strides.push_back(argument(strides, d, Value::Kind::number, words).number);
    }
    return value;
  }

  std::string_view bytes_;
  const std::string& place_;
  size_t at_ = 0;
  std::deque<Value> values_;  // a deque keeps addresses valid
  std::vector<Value*> stack_;
  std::vector<size_t> marks_;
  std::map<uint64_t, Value*> memo_;
};

}  // namespace

std::map<std::string, Stored> state_dict_of(std::string_view bytes, const std::string& place) {
  std::map<std::string, Stored> tensors;
  if (bytes.empty()) return tensors;
  const broch::archive::Memory file(bytes, place);
  std::map<std::string, broch::archive::ZipMember> members;
  std::string folder;
  for (broch::archive::ZipMember& member : broch::archive::zip_members(file)) {
    const std::string name = member.name;
    const size_t pickle = name.rfind("data.pkl");
    if (pickle != std::string::npos && pickle + 8 == name.size()) folder = name.substr(0, pickle);
    members.emplace(name, std::move(member));
  }
  const auto content = [&](const std::string& name) {
    const auto found = members.find(folder + name);
    if (found == members.end()) arrays::refuse(place, "no entry " + name, "it", kExportAgain);
    if (found->second.deflated) return broch::archive::unpack(file, found->second);
    return file.read(found->second.begin, found->second.size);
  };
  const std::string pickle = content("data.pkl");
  const std::string where = place + ", data.pkl";
  Unpickler unpickler(pickle, where);
  const Value& all = unpickler.run();
  if (all.kind != Value::Kind::dict)
    arrays::refuse(where, "no dict", "tensors by name", kExportAgain);
  std::string last, storage;
  for (size_t i = 0; i + 1 < all.items.size(); i += 2) {
    const Value &key = *all.items[i], &tensor = *all.items[i + 1];
    if (key.kind != Value::Kind::text || tensor.kind != Value::Kind::tensor)
      arrays::refuse(where, "something else than a tensor", "tensors by name", kExportAgain);
    if (last != tensor.text || storage.empty()) storage = content("data/" + tensor.text);
    last = tensor.text;
    Stored stored = stored_of(tensor.layout, storage, tensor.text, place);
    stored.is_parameter = tensor.is_parameter;
    tensors[key.text] = std::move(stored);
  }
  return tensors;
}

}  // namespace exported
