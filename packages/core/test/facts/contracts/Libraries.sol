// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// A token that is linked to libraries, and libraries that it can be linked to.

abstract contract Base {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { balanceOf[msg.sender] -= v; balanceOf[t] += v; return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; balanceOf[f] -= v; balanceOf[t] += v; return true; }
}

library Sums { function add(uint256 a, uint256 b) external pure returns (uint256) { return a + b; } }

library Writing { function add(uint256 a, uint256 b) external returns (uint256) { assembly { sstore(a, b) } return a; } }
library Noting { function add(uint256 a, uint256 b) external returns (uint256) { assembly { tstore(a, b) } return a; } }
library Asking { function add(uint256 a, uint256 b) external view returns (uint256) { return msg.sender == address(1) ? a : b; } }
library Calling { function add(uint256 a, uint256 b) external returns (uint256) { (bool ok,) = address(uint160(a)).call(""); return ok ? a : b; } }
library Ending { function add(uint256 a, uint256) external returns (uint256) { selfdestruct(payable(address(uint160(a)))); } }
library Making { function add(uint256 a, uint256 b) external returns (uint256) { assembly { a := create(0, a, b) } return a; } }
library HandingOn { function add(uint256 a, uint256 b) external returns (uint256) { (bool ok,) = address(uint160(a)).delegatecall(""); return ok ? a : b; } }

contract Linked is Base {
    function sum(uint256 a, uint256 b) external pure returns (uint256) { return Sums.add(a, b); }
}

contract LinkedTwice is Base { // one library that only answers, and one that does not, called from the same place
    function sum(uint256 a, uint256 b, bool other) external returns (uint256) {
        address which = other ? 0x4444444444444444444444444444444444444444 : 0x5555555555555555555555555555555555555555;
        (bool ok, bytes memory data) = which.delegatecall(abi.encodeCall(this.add, (a, b)));
        require(ok);
        return abi.decode(data, (uint256));
    }
    function add(uint256 a, uint256 b) external pure returns (uint256) { return a + b; }
}
