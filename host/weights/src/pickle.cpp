// pickle.cpp: a stack machine that makes values and calls nothing.
#include "pickle.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "archive/byte_order.hpp"
#include "archive/refuse.hpp"
#include "pickle_names.hpp"

namespace broch::weights::pickle {
namespace {

using archive::refuse;

constexpr size_t kMostValues = 10'000'000, kMostTensors = 1'000'000;
constexpr size_t kDeepest = 1000;  // marks that are open at a time
constexpr size_t kMostDims = 8, kMostArguments = 8;

constexpr const char* kUnknown =
    "nothing in the file was executed; in Python, load it and save the tensors alone: torch.save("
    "{name: tensor for …}, new_file)";

struct Opcode {
  unsigned char code;
  const char* name;
};
// Those that are refused, for messages.
constexpr Opcode kRefused[] = {{'0', "POP"},
                               {'1', "POP_MARK"},
                               {'2', "DUP"},
                               {'F', "FLOAT"},
                               {'I', "INT"},
                               {'L', "LONG"},
                               {'P', "PERSID"},
                               {'S', "STRING"},
                               {'V', "UNICODE"},
                               {'d', "DICT"},
                               {'g', "GET"},
                               {'i', "INST"},
                               {'l', "LIST"},
                               {'o', "OBJ"},
                               {'p', "PUT"},
                               {'B', "BINBYTES"},
                               {'C', "SHORT_BINBYTES"},
                               {0x82, "EXT1"},
                               {0x83, "EXT2"},
                               {0x84, "EXT4"},
                               {0x8c, "SHORT_BINUNICODE"},
                               {0x8d, "BINUNICODE8"},
                               {0x8e, "BINBYTES8"},
                               {0x8f, "EMPTY_SET"},
                               {0x90, "ADDITEMS"},
                               {0x91, "FROZENSET"},
                               {0x92, "NEWOBJ_EX"},
                               {0x93, "STACK_GLOBAL"},
                               {0x94, "MEMOIZE"},
                               {0x95, "FRAME"},
                               {0x96, "BYTEARRAY8"},
                               {0x97, "NEXT_BUFFER"},
                               {0x98, "READONLY_BUFFER"}};

std::string name_of(unsigned char code) {
  for (const Opcode& opcode : kRefused)
    if (opcode.code == code) return std::string("the opcode ") + opcode.name;
  return "the byte " + std::to_string(code) + ", which is no opcode";
}

class Machine {
 public:
  // at: where the pickle begins.
  Machine(std::string_view bytes, const std::string& place, size_t at)
      : bytes_(bytes), place_(place), at_(at) {}

  // Any bytes may follow.
  Document run() {
    if (bytes_.size() > kMostBytes)
      refuse(place_, std::to_string(bytes_.size()) + " bytes of pickle",
             "at most " + std::to_string(kMostBytes), "save the tensors alone");
    while (step()) {
    }
    if (stack_.size() != 1 || !marks_.empty())
      fail("an end with other values left", "one value and the end");
    document_.root = stack_[0];
    return std::move(document_);
  }

  size_t end() const { return at_; }

 private:
  // Executes the next opcode. Returns false for the last one.
  bool step() {
    begin_ = at_;
    const auto code = take<unsigned char>();
    switch (code) {
      case 0x80:  // PROTO
        if (const auto version = take<uint8_t>(); version != 2)
          refuse(here(), "pickle protocol " + std::to_string(version), "protocol 2",
                 "save the file again with torch.save's own pickle_protocol");
        break;
      case '.':  // STOP
        return false;
      case '(':  // MARK
        if (marks_.size() == kDeepest) fail("more than 1000 nested containers", "at most 1000");
        marks_.push_back(stack_.size());
        break;
      case 'N':
        push(make(Kind::none));
        break;
      case 0x88:
      case 0x89:
        push(integer(code == 0x88, Kind::boolean));
        break;
      case 'J':  // BININT
        push(integer(take<int32_t>()));
        break;
      case 'K':  // BININT1
        push(integer(take<uint8_t>()));
        break;
      case 'M':  // BININT2
        push(integer(take<uint16_t>()));
        break;
      case 0x8a:  // LONG1
        push(long_integer(take<uint8_t>()));
        break;
      case 'G': {  // BINFLOAT, big-endian
        const uint32_t value = make(Kind::real);
        at(value).real = std::bit_cast<double>(archive::swapped(take<uint64_t>()));
        push(value);
        break;
      }
      case 'X':  // BINUNICODE
      case 'T':  // BINSTRING, a text of Python 2
        push(text(take<uint32_t>()));
        break;
      case 'U':  // SHORT_BINSTRING, too
        push(text(take<uint8_t>()));
        break;
      case ']':
        push(make(Kind::list));
        break;
      case '}':
        push(make(Kind::dict));
        break;
      case ')':
        push(make(Kind::tuple));
        break;
      case 0x85:
      case 0x86:
      case 0x87:  // TUPLE1, TUPLE2, TUPLE3
        push(container(Kind::tuple, pop_last(code - 0x84)));
        break;
      case 't':  // TUPLE
        push(container(Kind::tuple, pop_to_mark()));
        break;
      case 'a':  // APPEND
        extend(Kind::list, pop_last(1));
        break;
      case 'e':  // APPENDS
        extend(Kind::list, pop_to_mark());
        break;
      case 's':  // SETITEM
        extend(Kind::dict, pop_last(2));
        break;
      case 'u':  // SETITEMS
        extend(Kind::dict, pop_to_mark());
        break;
      case 'q':  // BINPUT
        memo_[take<uint8_t>()] = top();
        break;
      case 'r':  // LONG_BINPUT
        memo_[take<uint32_t>()] = top();
        break;
      case 'h':  // BINGET
        push(recall(take<uint8_t>()));
        break;
      case 'j':  // LONG_BINGET
        push(recall(take<uint32_t>()));
        break;
      case 'c':
        push(global());
        break;
      case 'Q':  // BINPERSID
        push(storage(pop()));
        break;
      case 'R':
      case 0x81: {  // REDUCE, NEWOBJ
        const uint32_t arguments = pop();
        push(call(pop(), arguments));
        break;
      }
      case 'b': {  // BUILD: the attributes of an OrderedDict, such as _metadata, or of a parameter
        pop();
        const Kind kind = at(top()).kind;
        if (kind != Kind::dict && kind != Kind::tensor && kind != Kind::other)
          fail("attributes of another object", "of a dict or a tensor");
        break;
      }
      default:
        refuse(here(), name_of(code), "those with which torch.save writes a state dict", kUnknown);
    }
    return true;
  }

  // ---- bytes

  std::string here() const { return place_ + ": byte " + std::to_string(begin_); }
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    refuse(here(), found, expected, "the file is damaged, or another program wrote it");
  }

  std::string_view take_bytes(uint64_t size) {
    if (size > bytes_.size() - at_)
      fail("the end of the pickle", std::to_string(size) + " more bytes");
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, take_bytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view take_line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == bytes_.npos) fail("the end of the pickle", "the end of a line");
    const std::string_view line = take_bytes(end - at_);
    ++at_;
    return line;
  }
  // Little-endian, with a sign. One of more than 64 bits, as in the state of a random generator of
  // NumPy, is no size of anything here: that it is a number is enough.
  uint32_t long_integer(size_t size) {
    const std::string_view bytes = take_bytes(size);
    if (size > sizeof(int64_t)) return make(Kind::real);
    uint64_t value = size > 0 && bytes.back() & 0x80 ? ~uint64_t{0} : 0;
    std::memcpy(&value, bytes.data(), size);
    return integer(int64_t(value));
  }

  // ---- values

  Value& at(uint32_t value) { return document_.values[value]; }
  uint32_t make(Kind kind) {
    if (document_.values.size() == kMostValues)
      fail("more than " + std::to_string(kMostValues) + " values", "fewer");
    document_.values.push_back({kind});
    return uint32_t(document_.values.size() - 1);
  }
  uint32_t integer(int64_t number, Kind kind = Kind::integer) {
    const uint32_t value = make(kind);
    at(value).integer = number;
    return value;
  }
  uint32_t text(size_t length) {
    const std::string_view bytes = take_bytes(length);
    const uint32_t value = make(Kind::text);
    at(value).text = bytes;
    return value;
  }
  uint32_t container(Kind kind, std::vector<uint32_t> items) {
    const uint32_t value = make(kind);
    at(value).items = std::move(items);
    return value;
  }

  void push(uint32_t value) { stack_.push_back(value); }
  // Values below the newest mark cannot be reached.
  size_t reachable() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
  uint32_t top() const {
    if (reachable() == 0) fail("an opcode without a value", "one on the stack");
    return stack_.back();
  }
  uint32_t pop() {
    const uint32_t value = top();
    stack_.pop_back();
    return value;
  }
  std::vector<uint32_t> pop_last(size_t count) {
    if (reachable() < count) fail("an opcode without enough values", std::to_string(count));
    std::vector<uint32_t> items(stack_.end() - int64_t(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return items;
  }
  std::vector<uint32_t> pop_to_mark() {
    if (marks_.empty()) fail("an opcode without a mark", "one on the stack");
    std::vector<uint32_t> items = pop_last(reachable());
    marks_.pop_back();
    return items;
  }
  uint32_t recall(uint32_t key) const {
    const auto found = memo_.find(key);
    if (found == memo_.end()) fail("a reference to a value that was not stored", "one that was");
    return found->second;
  }

  void extend(Kind kind, const std::vector<uint32_t>& items) {
    Value& target = at(top());
    if (target.kind == Kind::other) return;
    if (target.kind != kind || (kind == Kind::dict && items.size() % 2 != 0))
      fail("items for another value", kind == Kind::dict ? "pairs for a dict" : "a list");
    target.items.insert(target.items.end(), items.begin(), items.end());
  }

  // ---- what torch.save names

  uint32_t global() {
    const std::string_view module = take_line(), name = take_line();
    for (const KnownFunction& known : kFunctions)
      if (module == known.module && name == known.name)
        return integer(known.function, Kind::function);
    if (name == "UntypedStorage" && (module == "torch" || module == "torch.storage"))
      return integer(kUntyped, Kind::storage_type);
    if (module == "torch")
      for (const ElementType& type : kTypes) {
        if (name == type.dtype) return integer(&type - kTypes, Kind::dtype);
        if (*type.storage && name == type.storage)
          return integer(&type - kTypes, Kind::storage_type);
      }
    const std::string whole = std::string(module) + "." + std::string(name);
    refuse(here(), "the Python object " + archive::quoted(whole),
           "tensors, dicts, lists, tuples, numbers and texts", kUnknown);
  }

  // ('storage', type, name of the member, device, elements); in the format before PyTorch 1.6 also
  // None, where older versions had a view of another storage.
  uint32_t storage(uint32_t id) {
    const std::vector<uint32_t>& items = at(id).items;
    if (at(id).kind != Kind::tuple || items.size() < 5 || items.size() > 6 ||
        at(items.back()).kind != (items.size() == 5 ? Kind::integer : Kind::none) ||
        at(items[0]).text != "storage" || at(items[1]).kind != Kind::storage_type ||
        at(items[2]).kind != Kind::text || at(items[4]).kind != Kind::integer ||
        at(items[4]).integer < 0)
      fail("another persistent object", "a storage");
    if (document_.storages.size() == kMostTensors) fail("more than 10^6 storages", "fewer");
    Storage storage{at(items[2]).text, std::nullopt, uint64_t(at(items[4]).integer)};
    const int64_t type = at(items[1]).integer;
    if (type != kUntyped) {
      storage.dtype = kTypes[type].type;
      storage.element_size = storage.dtype ? store::dtype_size(*storage.dtype) : kTypes[type].size;
    }
    document_.storages.push_back(storage);
    if (type != kUntyped && !storage.dtype) return make(Kind::other);
    return integer(int64_t(document_.storages.size() - 1), Kind::storage);
  }

  uint32_t call(uint32_t function, uint32_t arguments) {
    if (at(function).kind != Kind::function || at(arguments).kind != Kind::tuple)
      fail("a call of something else", "of a function that makes a tensor");
    if (at(function).integer == plain_value) return make(Kind::other);
    if (at(arguments).items.size() > kMostArguments) fail("a call with many arguments", "few");
    const std::vector<uint32_t> items = at(arguments).items;
    switch (at(function).integer) {
      case ordered_dict:
        return items.empty() ? make(Kind::dict) : dict_of(items);
      case default_dict:  // its argument makes the values that are missing
        return make(Kind::dict);
      case counter:
        if (items.size() != 1 || at(items[0]).kind != Kind::dict)
          fail("a strange Counter", "one of a dict");
        return items[0];
      case size:
        if (items.size() != 1 || at(items[0]).kind != Kind::tuple)
          fail("a strange size", "a tuple");
        return items[0];
      case typed_tensor:
        return with_attributes(items);
      case parameter:
      case stateful_parameter:
      case device_tensor:
        if (items.empty() ||
            (at(items[0]).kind != Kind::tensor && at(items[0]).kind != Kind::other))
          fail("a parameter of something else", "of a tensor");
        return items[0];
      default:
        return tensor(items, at(function).integer);
    }
  }

  // Of a list of pairs, as Python 2 pickles an OrderedDict. The list is taken: a damaged file may
  // name one list many times.
  uint32_t dict_of(const std::vector<uint32_t>& arguments) {
    if (arguments.size() != 1 || at(arguments[0]).kind != Kind::list)
      fail("an OrderedDict with other arguments", "a list of pairs");
    const std::vector<uint32_t> pairs = std::move(at(arguments[0]).items);
    const uint32_t dict = make(Kind::dict);
    for (const uint32_t pair : pairs) {
      const std::vector<uint32_t>& items = at(pair).items;
      if ((at(pair).kind != Kind::list && at(pair).kind != Kind::tuple) || items.size() != 2)
        fail("an OrderedDict of something else", "of pairs");
      at(dict).items.insert(at(dict).items.end(), items.begin(), items.end());
    }
    return dict;
  }

  // Function, class, arguments, and the attributes that somebody has given to the tensor.
  uint32_t with_attributes(const std::vector<uint32_t>& items) {
    if (items.size() != 4 || at(items[0]).kind != Kind::function ||
        at(items[0]).integer == typed_tensor)
      fail("a tensor with other arguments", "a function, its class and arguments");
    return call(items[0], items[2]);
  }

  // Storage, offset, shape, strides; from v2 on, whether a gradient is wanted, and hooks; then the
  // dtype in v3; and a dict that says whether the elements still have to be conjugated or negated.
  // One of a type that is not known is passed over.
  uint32_t tensor(const std::vector<uint32_t>& items, int64_t version) {
    const bool has_dtype = version == tensor_v3;
    const size_t least = version == tensor_v1 ? 4 : has_dtype ? 7 : 6;
    const bool is_complete = items.size() == least || items.size() == least + 1;
    if (is_complete && at(items[0]).kind == Kind::other) return make(Kind::other);
    if (!is_complete || at(items[0]).kind != Kind::storage)
      fail("a tensor with other arguments", "a storage, offset, shape and strides");
    if (items.size() > least && !at(items[least]).items.empty())
      refuse(here(), "a tensor that is lazily conjugated or negated", "a plain one",
             "in Python, save tensor.resolve_conj().resolve_neg() instead");
    if (document_.tensors.size() == kMostTensors) fail("more than 10^6 tensors", "fewer");
    Tensor tensor;
    tensor.storage = size_t(at(items[0]).integer);
    const Storage& storage = document_.storages[tensor.storage];
    uint64_t elements = storage.elements;
    if (has_dtype) {
      if (at(items[6]).kind != Kind::dtype || storage.dtype) fail("a strange tensor", "a dtype");
      const std::optional<store::Dtype>& type = kTypes[at(items[6]).integer].type;
      if (!type) return make(Kind::other);
      tensor.dtype = *type;
      elements /= store::dtype_size(tensor.dtype);
    } else {
      if (!storage.dtype) fail("a tensor without a type", "a storage with one");
      tensor.dtype = *storage.dtype;
    }
    tensor.offset = uint64_t(sizes({items[1]})[0]);
    if (at(items[2]).kind != Kind::tuple || at(items[3]).kind != Kind::tuple)
      fail("no shape", "a tuple");
    tensor.shape = sizes(at(items[2]).items);
    tensor.strides = sizes(at(items[3]).items);
    require_inside(tensor, elements);
    document_.tensors.push_back(std::move(tensor));
    return integer(int64_t(document_.tensors.size() - 1), Kind::tensor);
  }

  std::vector<int64_t> sizes(const std::vector<uint32_t>& items) {
    if (items.size() > kMostDims)
      fail("a tensor of " + std::to_string(items.size()) + " dimensions", "at most 8");
    std::vector<int64_t> result;
    for (const uint32_t item : items) {
      if (at(item).kind != Kind::integer || at(item).integer < 0)
        fail("no size", "an integer that is not negative");
      result.push_back(at(item).integer);
    }
    return result;
  }

  void require_inside(const Tensor& tensor, uint64_t elements) const {
    if (tensor.shape.size() != tensor.strides.size())
      fail("another number of strides than of dimensions", "as many");
    uint64_t last = tensor.offset;
    bool fits = true;
    for (size_t i = 0; i < tensor.shape.size(); ++i) {
      if (tensor.shape[i] == 0) return;
      uint64_t way = 0;
      fits &= !__builtin_mul_overflow(uint64_t(tensor.shape[i] - 1), uint64_t(tensor.strides[i]),
                                      &way) &&
              !__builtin_add_overflow(last, way, &last);
    }
    if (!fits || last >= elements)
      fail("a tensor that reaches beyond its storage",
           "at most " + std::to_string(elements) + " elements");
  }

  std::string_view bytes_;
  const std::string& place_;
  size_t at_, begin_ = 0;  // begin_: of the current opcode
  Document document_;
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;  // sizes of the stack
  std::unordered_map<uint32_t, uint32_t> memo_;
};

}  // namespace

Document parse_at(std::string_view bytes, const std::string& place, size_t& at) {
  Machine machine(bytes, place, at);
  Document document = machine.run();
  at = machine.end();
  return document;
}

Document parse(std::string_view bytes, const std::string& place) {
  size_t at = 0;
  Document document = parse_at(bytes, place, at);
  if (at != bytes.size())
    refuse(place + ": byte " + std::to_string(at), "more bytes", "the end of the pickle",
           "the file is damaged, or another program wrote it");
  return document;
}

}  // namespace broch::weights::pickle
