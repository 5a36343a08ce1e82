// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Tokens that give to several accounts at once. What is given is taken off whoever calls, or is said to be.

contract Base {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;
    constructor() { totalSupply = 1e24; balanceOf[msg.sender] = 1e24; }
    function transfer(address t, uint256 v) external returns (bool) { balanceOf[msg.sender] -= v; balanceOf[t] += v; return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; balanceOf[f] -= v; balanceOf[t] += v; return true; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
}

// An amount of its own for each, in two arrays that are read in turns.

contract Each is Base {
    function give(address[] memory to, uint256[] memory v) public {
        for (uint256 i = 0; i < to.length; i++) {
            require(to[i] != address(0) && v[i] > 0);
            balanceOf[msg.sender] -= v[i];
            balanceOf[to[i]] += v[i];
        }
    }
}

contract EachOther is Base { // what is given is in another array than what is taken
    function give(address[] memory to, uint256[] memory v, uint256[] memory w) public {
        for (uint256 i = 0; i < to.length; i++) { balanceOf[msg.sender] -= v[i]; balanceOf[to[i]] += w[i]; }
    }
}

contract EachNext is Base {
    function give(address[] memory to, uint256[] memory v) public {
        for (uint256 i = 0; i + 1 < to.length; i++) { balanceOf[msg.sender] -= v[i]; balanceOf[to[i]] += v[i + 1]; }
    }
}

contract EachRewritten is Base { // the amount is another one by the time it is given
    function give(address[] memory to, uint256[] memory v) public {
        for (uint256 i = 0; i < to.length; i++) { require(to[i] != address(0)); balanceOf[msg.sender] -= v[i]; v[i] = v[i] * 2; balanceOf[to[i]] += v[i]; }
    }
}

contract EachAliased is Base { // the same, by another name of the array
    function give(address[] memory to, uint256[] memory v) public {
        uint256[] memory w = v;
        for (uint256 i = 0; i < to.length; i++) { require(to[i] != address(0)); balanceOf[msg.sender] -= v[i]; w[i] = 1e30; balanceOf[to[i]] += v[i]; }
    }
}

contract EachPlaced is Base { // the same, through a pointer that the caller says
    function give(address[] memory to, uint256[] memory v, uint256 far) public {
        for (uint256 i = 0; i < to.length; i++) {
            require(to[i] != address(0));
            balanceOf[msg.sender] -= v[i];
            assembly { mstore(add(v, far), 1000000000000000000000000000000) }
            balanceOf[to[i]] += v[i];
        }
    }
}

contract EachLate is Base { // what is taken is what was given the time before
    function give(address[] memory to, uint256[] memory v) public {
        uint256 x;
        for (uint256 i = 0; i < to.length; i++) { require(to[i] != address(0)); balanceOf[msg.sender] -= x; x = v[i]; balanceOf[to[i]] += x; }
    }
}

// The same amount for all, taken at once.

contract Same is Base {
    function give(address[] calldata to, uint256 v) external {
        uint256 sum = to.length * v;
        balanceOf[msg.sender] -= sum;
        for (uint256 i = 0; i < to.length; i++) balanceOf[to[i]] += v;
    }
}

contract SameAsked is Base { // as libraries ask whether a product wraps
    function give(address[] calldata to, uint256 v) external {
        uint256 n = to.length;
        unchecked {
            uint256 sum = n * v;
            require(n == 0 || sum / n == v);
            require(n > 0 && n <= 20);
            require(balanceOf[msg.sender] >= sum);
            balanceOf[msg.sender] = balanceOf[msg.sender] - sum;
        }
        for (uint256 i = 0; i < n; i++) balanceOf[to[i]] += v;
    }
}

contract SameMultiplied is Base { // nothing times anything is answered on a way of its own
    function mul(uint256 a, uint256 b) internal pure returns (uint256) { unchecked { if (a == 0) return 0; uint256 c = a * b; require(c / a == b); return c; } }
    function give(address[] calldata to, uint256 v) external {
        uint256 n = to.length;
        uint256 sum = mul(n, v);
        balanceOf[msg.sender] -= sum;
        for (uint256 i = 0; i < n; i++) balanceOf[to[i]] += v;
    }
}

contract SameForgiven is Base { // on some way nothing is taken for what is given
    function give(address[] calldata to, uint256 v, bool free) external {
        uint256 n = to.length;
        uint256 sum = n * v;
        if (free) sum = 0;
        balanceOf[msg.sender] -= sum;
        for (uint256 i = 0; i < n; i++) balanceOf[to[i]] += v;
    }
}

contract SameWrapping is Base { // the product may wrap to nothing
    function give(address[] calldata to, uint256 v) external {
        uint256 sum;
        unchecked { sum = to.length * v; }
        balanceOf[msg.sender] -= sum;
        for (uint256 i = 0; i < to.length; i++) balanceOf[to[i]] += v;
    }
}

contract SameAnew is Base { // the counter is put back once
    function give(address[] calldata to, uint256 v, uint256 stop) external {
        uint256 sum = to.length * v;
        balanceOf[msg.sender] -= sum;
        for (uint256 i = 0; i < to.length; ) {
            balanceOf[to[i]] += v;
            if (i == stop) { stop = 1e30; i = 0; } else i++;
        }
    }
}

contract SameTwice is Base {
    function give(address[] calldata to, uint256 v) external {
        uint256 sum = to.length * v;
        balanceOf[msg.sender] -= sum;
        for (uint256 j = 0; j < 2; j++) for (uint256 i = 0; i < to.length; i++) balanceOf[to[i]] += v;
    }
}

contract SameInside is Base {
    function give(address[] calldata to, uint256 v) external {
        uint256 sum = to.length * v;
        balanceOf[msg.sender] -= sum;
        for (uint256 i = 0; i < to.length; i++) for (uint256 j = 0; j < 2; j++) balanceOf[to[i]] += v;
    }
}

contract SamePerhaps is Base {
    function give(address[] calldata to, uint256 v, bool paid) external {
        uint256 sum = to.length * v;
        if (paid) balanceOf[msg.sender] -= sum;
        for (uint256 i = 0; i < to.length; i++) balanceOf[to[i]] += v;
    }
}

contract SameOfOther is Base { // the other list may be shorter
    function give(address[] calldata to, address[] calldata other, uint256 v) external {
        uint256 sum = other.length * v;
        balanceOf[msg.sender] -= sum;
        for (uint256 i = 0; i < to.length; i++) balanceOf[to[i]] += v;
    }
}

contract SameHalf is Base {
    function give(address[] calldata to, uint256 v) external {
        uint256 sum = to.length * v;
        balanceOf[msg.sender] -= sum / 2;
        for (uint256 i = 0; i < to.length; i++) balanceOf[to[i]] += v;
    }
}

contract SameBack is Base {
    function give(address[] calldata to, uint256 v) external {
        uint256 sum = to.length * v;
        balanceOf[msg.sender] -= sum;
        for (uint256 i = 0; i < to.length; i++) { balanceOf[to[i]] += v; balanceOf[msg.sender] += v; }
    }
}

contract SameUnasked is Base { // whoever calls need not have it
    function give(address[] calldata to, uint256 v) external {
        uint256 sum = to.length * v;
        unchecked { balanceOf[msg.sender] -= sum; }
        for (uint256 i = 0; i < to.length; i++) balanceOf[to[i]] += v;
    }
}

// What all get is added up first.

contract Summed is Base {
    function give(address[] calldata to, uint256[] calldata v) external {
        uint256 sum;
        for (uint256 i = 0; i < to.length; i++) sum += v[i];
        balanceOf[msg.sender] -= sum;
        for (uint256 i = 0; i < to.length; i++) balanceOf[to[i]] += v[i];
    }
}
