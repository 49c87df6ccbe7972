// SPDX-License-Identifier: MIT
//
// Wait queues apart from those of the process: an operation that waits in a table which the program constructs, and the kit that
// tells whether a table keeps the contract. Here of one that does, and of one that serves the last first.
//
// Prints:
//     2 wait in the table, 0 in that of the process
//     the thread has a ticket, the coroutine has a ticket
//     a private table: keeps the contract
//     another: notify.fifo is broken: delivered were 8 6, not 0 2

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>

#include <futon/conformance/wait_table.hpp>
#include <futon/core.hpp>
#include <futon/futon.hpp>

namespace core = futon::core;

namespace {

/// Tickets, and a queue for those who want one, in a table that its owner chooses.
class Tickets {
public:
    explicit Tickets(core::WaitQueues& table) noexcept : table_(table) {}

    void add() noexcept {
        count_.fetch_add(1);
        table_.notify(this, 1);
    }

    /// The operation that takes a ticket.
    class Take {
    public:
        using Result = bool;
        static constexpr const char* name = "Tickets::take";

        explicit Take(Tickets& tickets) noexcept : tickets_(tickets) {}
        const void* key() const noexcept { return tickets_.get(); }
        core::WaitQueues& table() const noexcept { return tickets_->table_; }  // where it waits
        bool try_now() noexcept { return tickets_->try_take(); }
        core::WaitCheck check() noexcept {
            return {tickets_.get(), 0,
                    [](void* tickets, std::uint64_t) noexcept { return !static_cast<Tickets*>(tickets)->try_take(); }};
        }
        bool woken(core::WakeToken) const noexcept { return false; }  // a ticket may be there: try again
        void give_back(core::WakeToken token) const noexcept {
            if (token == core::WakeToken::handed_off) return tickets_->add();  // it was done
            tickets_->table_.notify(tickets_.get(), 1);
        }
        bool result(core::Ending ending) const noexcept {
            return core::to_wait_result(ending) == futon::WaitResult::ok;
        }

    private:
        core::Target<Tickets> tickets_;
    };

private:
    bool try_take() noexcept {
        int seen = count_;
        while (seen > 0)
            if (count_.compare_exchange_weak(seen, seen - 1)) return true;
        return false;
    }

    core::WaitQueues& table_;
    core::Atomic<int> count_{0};
};

futon::Promise<bool> take(Tickets& tickets) {
    const bool is_taken = co_await core::await(Tickets::Take(tickets));
    co_return is_taken;
}

bool wait_in_a_table() {
    core::PrivateTable table;
    Tickets tickets(table);
    bool has_thread_taken = false;
    std::jthread thread([&] { has_thread_taken = core::block(Tickets::Take(tickets)); });
    futon::EventLoop loop;
    auto taking = take(tickets);

    while (table.count(&tickets) < 2) std::this_thread::yield();
    std::printf("%zu wait in the table, %zu in that of the process\n", table.count(&tickets),
                core::process_table().count(&tickets));
    tickets.add();
    tickets.add();
    const bool has_coroutine_taken = loop.run_until(taking);
    thread.join();
    std::printf("the thread has %s, the coroutine has %s\n", has_thread_taken ? "a ticket" : "none",
                has_coroutine_taken ? "a ticket" : "none");
    return has_thread_taken && has_coroutine_taken;
}

bool check_a_table() {
    core::PrivateTable table;
    const futon::conformance::Report report = futon::conformance::check_table(table);
    std::printf("a private table: %s\n", report.holds() ? "keeps the contract" : report.text().c_str());
    return report.holds();
}

/// Queues of one's own with a mistake: who comes last is served first.
class LastIsFirst final : public core::WaitQueues {
public:
    using WaitQueues::enqueue;
    core::EnqueueResult enqueue(core::Waiter& waiter, const core::WaitCheck& check,
                                core::Place place) noexcept override {
        return table_.enqueue(waiter, check, place == core::Place::tail ? core::Place::head : place);
    }
    bool dequeue(core::Waiter& waiter, futon::WaitResult result) noexcept override {
        return table_.dequeue(waiter, result);
    }
    bool is_queued(core::Waiter& waiter) noexcept override { return table_.is_queued(waiter); }
    bool must_wait(const core::WaitCheck& check) noexcept override { return table_.must_wait(check); }
    std::size_t notify(const void* address, std::size_t count) noexcept override {
        return table_.notify(address, count);
    }

private:
    core::PrivateTable table_;
};

bool find_a_mistake() {
    LastIsFirst queues;
    const futon::conformance::Report report = futon::conformance::check_queues(queues, {.only = "notify.fifo"});
    for (const futon::conformance::BrokenClause& clause : report.broken)
        std::printf("another: %s is broken: %s\n", clause.name.c_str(), clause.found.c_str());
    return report.breaks("notify.fifo");
}

}  // namespace

int main() {
    return wait_in_a_table() && check_a_table() && find_a_mistake() ? 0 : 1;
}
