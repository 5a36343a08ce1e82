// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens that move what is sent, and say afterwards whether they did: who asks, as pools do, goes back where they say no.

interface IJudge { function says(address a) external view returns (bool); }

abstract contract Answering {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    address public owner = msg.sender;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor() { balanceOf[msg.sender] = 1e24; }
    modifier onlyOwner() { require(msg.sender == owner); _; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _move(msg.sender, t, v); return _answer(msg.sender, t, v); }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return _answer(f, t, v); }
    function _move(address f, address t, uint256 v) internal {
        balanceOf[f] -= v;
        balanceOf[t] += v;
        emit Transfer(f, t, v);
    }
    function _answer(address f, address t, uint256 v) internal virtual returns (bool);
}

abstract contract Switch is Answering {
    bool internal on;
    function turn(bool to) external onlyOwner { on = to; }
}

abstract contract Listed is Answering {
    mapping(address => bool) internal listed;
    function list(address a, bool to) external onlyOwner { listed[a] = to; }
}

abstract contract Number is Answering {
    uint256 internal number = 1e24;
    function set(uint256 to) external onlyOwner { number = to; }
}

abstract contract Noting is Answering {
    uint256 public noted;
    function _note(uint256 v) internal {
        uint256 s;
        if (v & 1 != 0) s += 3;
        if (v & 2 != 0) s += 4;
        if (v & 4 != 0) s += 7;
        if (v & 8 != 0) s += 12;
        if (v & 16 != 0) s += 19;
        if (v & 32 != 0) s += 28;
        if (v & 64 != 0) s += 39;
        if (v & 128 != 0) s += 52;
        if (v & 256 != 0) s += 67;
        if (v & 512 != 0) s += 84;
        if (v & 1024 != 0) s += 103;
        if (v & 2048 != 0) s += 124;
        if (v & 4096 != 0) s += 147;
        if (v & 8192 != 0) s += 172;
        noted = s;
    }
}

contract SaysYes is Answering { function _answer(address f, address t, uint256 v) internal override returns (bool) { return true; } }

contract SaysNo is Switch { function _answer(address f, address t, uint256 v) internal override returns (bool) { return false; } }

contract SaysNothing is Switch { function _answer(address f, address t, uint256 v) internal override returns (bool) { if (on) assembly { return(0, 0) } return true; } }

contract SaysBySwitch is Switch { function _answer(address f, address t, uint256 v) internal override returns (bool) { return !on; } }

contract SaysOnSwitch is Switch { function _answer(address f, address t, uint256 v) internal override returns (bool) { if (on) return false; return true; } }

contract SaysTooLittle is Switch { function _answer(address f, address t, uint256 v) internal override returns (bool) { if (on) assembly { mstore(0, 1) return(0, 7) } return true; } }

contract SaysTwo is Switch { function _answer(address f, address t, uint256 v) internal override returns (bool) { if (on) assembly { mstore(0, 2) return(0, 32) } return true; } }

contract SaysMore is Switch { function _answer(address f, address t, uint256 v) internal override returns (bool) { bool is_ = on; assembly { mstore(0, iszero(is_)) return(0, 64) } } }

contract SaysByList is Listed { function _answer(address f, address t, uint256 v) internal override returns (bool) { return !listed[f]; } }

contract SaysForListed is Listed { function _answer(address f, address t, uint256 v) internal override returns (bool) { if (listed[f]) return true; return false; } }

contract SaysByAmount is Number { function _answer(address f, address t, uint256 v) internal override returns (bool) { return v <= number; } }

contract SaysByHolding is Number { function _answer(address f, address t, uint256 v) internal override returns (bool) { return balanceOf[t] <= number; } }

contract SaysByTime is Number { function _answer(address f, address t, uint256 v) internal override returns (bool) { return block.timestamp >= number; } }

contract SaysYesOfMany is Noting { function _answer(address f, address t, uint256 v) internal override returns (bool) { _note(v); return true; } }

contract SaysBySwitchOfMany is Noting, Switch { function _answer(address, address, uint256 v) internal override returns (bool) { _note(v); return !on; } }

contract SaysOnListOfMany is Noting, Listed { function _answer(address f, address, uint256 v) internal override returns (bool) { bool is_ = true; if (listed[f]) is_ = false; _note(v); return is_; } }

contract SaysByJudge is Answering { IJudge judge; function appoint(IJudge j) external onlyOwner { judge = j; } function _answer(address f, address, uint256) internal override returns (bool) { return judge.says(f); } }
