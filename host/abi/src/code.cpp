// code.cpp: where the machine code of loaded libraries is in memory.
#include "code.hpp"

#include <link.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>

#include "abi/crash.hpp"

namespace broch::abi {
namespace {

// The ranges of the libraries' code. Only grows, because signal handlers read it.
struct Code {
  uintptr_t begin, end;
  const char* file;
};
std::array<Code, 1024> codes;
std::atomic<size_t> code_count{0};

const char* file_of(uintptr_t address) {
  const size_t count = code_count.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i)
    if (codes[i].begin <= address && address < codes[i].end) return codes[i].file;
  return nullptr;
}

// The components that were made from the libraries. Only grows, because signal handlers read it.
struct Made {
  std::string file, label;
};
std::array<std::atomic<const Made*>, 1024> components;
std::mutex components_mutex;  // held while one is added

struct Library {
  uintptr_t address;
  const char* file;
};

// A callback for dl_iterate_phdr, which stops at a result of 1: the library was found.
int note_if_inside(dl_phdr_info* object, size_t, void* context) {
  const Library& library = *static_cast<const Library*>(context);
  const std::span<const ElfW(Phdr)> parts(object->dlpi_phdr, object->dlpi_phnum);
  const auto code_in = [&](const ElfW(Phdr) & part) {
    const uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    return Code{begin, begin + part.p_memsz, library.file};
  };
  if (std::ranges::none_of(parts, [&](const ElfW(Phdr) & part) {
        const Code code = code_in(part);
        return part.p_type == PT_LOAD && code.begin <= library.address &&
               library.address < code.end;
      }))
    return 0;
  for (const ElfW(Phdr) & part : parts) {
    const size_t count = code_count.load(std::memory_order_relaxed);
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X) || count == codes.size()) continue;
    codes[count] = code_in(part);
    code_count.store(count + 1, std::memory_order_release);
  }
  return 1;
}

}  // namespace

const char* file_of_instruction(const ucontext_t& context) {
#if defined(__x86_64__)
  return file_of(static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]));
#elif defined(__aarch64__)
  return file_of(static_cast<uintptr_t>(context.uc_mcontext.pc));
#endif
}

// The stack is read by a system call, which fails at the end of the stack instead of crashing.
const char* file_of_thread(const ucontext_t& context) {
#if defined(__x86_64__)
  const auto stack = static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  const uintptr_t stack = context.uc_mcontext.sp;
#endif
  if (const char* file = file_of_instruction(context)) return file;
  std::array<uintptr_t, 1024> words;
  constexpr size_t kPiece = 64;  // in words; the search ends at the first piece that cannot be read
  for (size_t at = 0; at < words.size(); at += kPiece) {
    const iovec to{&words[at], kPiece * sizeof(uintptr_t)};
    const iovec from{reinterpret_cast<void*>(stack + at * sizeof(uintptr_t)), to.iov_len};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != ssize_t(to.iov_len)) return nullptr;
    for (size_t i = at; i < at + kPiece; ++i)
      if (const char* file = file_of(words[i])) return file;
  }
  return nullptr;
}

void note_component(const Instance& instance) {
  const std::lock_guard lock(components_mutex);
  for (std::atomic<const Made*>& entry : components) {
    const Made* const made = entry.load(std::memory_order_relaxed);
    if (made && made->file == instance.spec().file && made->label == instance.label()) return;
    if (made) continue;
    entry.store(new Made{instance.spec().file, instance.label()}, std::memory_order_release);
    return;
  }
}

void name_components(Line& line, const char* file) {
  constexpr int kNamed = 3;
  int count = 0;
  for (const std::atomic<const Made*>& entry : components) {
    const Made* const made = entry.load(std::memory_order_acquire);
    if (!made) break;
    if (std::strcmp(made->file.c_str(), file) != 0) continue;
    if (++count > kNamed) continue;
    line << (count == 1 ? " of " : " or ") << made->label.c_str();
  }
  if (count > kNamed) line << " or another one";
}

void note_library(const void* address, const char* file) {
  const size_t known = code_count.load(std::memory_order_relaxed);
  if (std::any_of(codes.begin(), codes.begin() + known,
                  [&](const Code& code) { return code.file == file; }))
    return;
  Library library{reinterpret_cast<uintptr_t>(address), file};
  dl_iterate_phdr(note_if_inside, &library);
}

}  // namespace broch::abi
