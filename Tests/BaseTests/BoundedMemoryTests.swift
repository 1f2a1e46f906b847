import Base
import Testing

@Suite("Bounded memory")
struct BoundedMemoryTests {
    @Test("remembers the last value, and nothing once it is told to forget")
    func remembers() {
        let memory = BoundedMemory<String, Int>(most: 4)
        #expect(memory["a"] == nil)
        memory["a"] = 1
        memory["a"] = 2
        #expect(memory["a"] == 2)
        // Both halves.
        for name in ["b", "c", "a"] { memory[name] = 3 }
        memory["a"] = nil
        #expect(memory["a"] == nil)
    }

    @Test("keeps what is asked for and lets go of what is not, within its bound")
    func bound() {
        let memory = BoundedMemory<Int, Int>(most: 10)
        for number in 0..<1_000 {
            memory[number] = number
            #expect(memory[0] == 0)
            #expect((max(0, number - 3)...number).allSatisfy { memory[$0] == $0 })
        }
        #expect((0..<1_000).count { memory[$0] != nil } <= 10)
    }
}
