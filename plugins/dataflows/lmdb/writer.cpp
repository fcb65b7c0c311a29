// writer.cpp: source: lmdb.h of liblmdb.
#include "lmdb/writer.hpp"

#include <broch/cpp/error.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "msgpack/writer.hpp"

namespace lmdb {
namespace {

const char* const kListOfKeys = "__keys__";
constexpr size_t kLargestMap = size_t{1} << 41;  // address space only: 2 TiB, as tensorpack
constexpr size_t kSmallestMap = size_t{1} << 28;
constexpr size_t kCommitEvery = 5000;  // points

void check(int status, const std::string& path, const char* what) {
  if (status == MDB_SUCCESS) return;
  throw broch::Error(BROCH_E_DATA_LOSS,
                     path + ": " + what + ": " + mdb_strerror(status) +
                         "; check the path, its permissions and the space that is left");
}

MDB_val value_of(std::string_view text) { return {text.size(), const_cast<char*>(text.data())}; }

Environment make_environment(const std::string& path, size_t map_size) {
  MDB_env* env = nullptr;
  check(mdb_env_create(&env), path, "cannot be made");
  Environment made(env);
  check(mdb_env_set_mapsize(env, map_size), path, "cannot be made");
  const int status = mdb_env_open(env, path.c_str(), MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0664);
  // The address space of a process may be limited, as by ulimit -v.
  if (status == ENOMEM && map_size > kSmallestMap) return make_environment(path, map_size / 4);
  check(status, path, "cannot be made");
  return made;
}

}  // namespace

Writer::Writer(const std::string& path) : path_(path) {
  if (std::filesystem::exists(path))
    throw broch::Error(BROCH_E_ALREADY_EXISTS,
                       path + ": exists already; remove it, or choose another path");
  env_ = make_environment(path, kLargestMap);
}

Writer::~Writer() {
  if (transaction_) mdb_txn_abort(transaction_);
}

void Writer::add(const std::vector<containers::Named>& point) {
  char key[24];
  std::snprintf(key, sizeof key, "%08zu", keys_.size());
  put(key, msgpack::text_of(point));
  keys_.emplace_back(key);
  if (keys_.size() % kCommitEvery == 0) commit();
}

void Writer::finish() {
  put(kListOfKeys, msgpack::text_of(keys_));
  commit();
  check(mdb_env_sync(env_.get(), 1), path_, "cannot be written");
}

void Writer::put(const std::string& key, const std::string& value) {
  if (!transaction_) {
    check(mdb_txn_begin(env_.get(), nullptr, 0, &transaction_), path_, "cannot be written");
    check(mdb_dbi_open(transaction_, nullptr, 0, &dbi_), path_, "cannot be written");
  }
  MDB_val key_bytes = value_of(key), value_bytes = value_of(value);
  check(mdb_put(transaction_, dbi_, &key_bytes, &value_bytes, 0), path_, "cannot be written");
}

void Writer::commit() {
  if (!transaction_) return;
  MDB_txn* const transaction = std::exchange(transaction_, nullptr);
  check(mdb_txn_commit(transaction), path_, "cannot be written");
}

}  // namespace lmdb
