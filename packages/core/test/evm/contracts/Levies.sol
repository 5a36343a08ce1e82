// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens for the tests of Levy. Names say what a token is, never what its functions do.

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

abstract contract Owned is ERC20, Ownable {
    constructor() ERC20("L", "L") Ownable(msg.sender) { _mint(msg.sender, 1e24); }
    function rate(address, address) internal view virtual returns (uint256);
    function _update(address f, address t, uint256 v) internal virtual override {
        uint256 cut = v * rate(f, t) / 100;
        if (cut > 0) super._update(f, owner(), cut);
        super._update(f, t, v - cut);
    }
}

abstract contract Listed is Owned {
    mapping(address => bool) internal listed;
    function list(address a, bool on) external onlyOwner { listed[a] = on; }
}

contract TaxedReceivers is Listed {
    function rate(address, address t) internal view override returns (uint256) { return listed[t] ? 99 : 0; }
}

contract TaxedPairs is Listed {
    function rate(address f, address t) internal view override returns (uint256) { return listed[t] || listed[f] ? 30 : 0; }
}

contract TaxedUnlessSpared is Listed {
    mapping(address => bool) internal spared;
    function spare(address a, bool on) external onlyOwner { spared[a] = on; }
    function rate(address f, address t) internal view override returns (uint256) {
        return spared[f] || spared[t] ? 0 : listed[t] ? 40 : 3;
    }
}

contract CheapPairs is Listed {
    function rate(address f, address t) internal view override returns (uint256) { return listed[t] ? 5 : listed[f] ? 4 : 0; }
}

contract SparedFromFee is Listed {
    function rate(address f, address t) internal view override returns (uint256) { return listed[f] || listed[t] ? 0 : 3; }
}

contract SparedFromMuch is Listed {
    function rate(address f, address t) internal view override returns (uint256) { return listed[f] || listed[t] ? 0 : 20; }
}

contract SparedForGood is Owned {
    mapping(address => bool) internal spared;
    function spare(address a) external onlyOwner { spared[a] = true; }
    function rate(address f, address t) internal view override returns (uint256) { return spared[f] || spared[t] ? 0 : 20; }
}

contract SwitchedTax is Owned {
    bool internal on;
    function turn(bool to) external onlyOwner { on = to; }
    function rate(address, address) internal view override returns (uint256) { return on ? 90 : 1; }
}

contract OpenedOnce is Owned {
    bool internal open;
    function launch() external onlyOwner { open = true; }
    function rate(address, address) internal view override returns (uint256) { return open ? 0 : 99; }
}

contract NamedPool is Owned {
    address internal pool;
    function nominate(address a) external onlyOwner { pool = a; }
    function rate(address, address t) internal view override returns (uint256) { return t == pool ? 50 : 0; }
}

contract NamedOnce is Owned {
    address internal pool;
    function nominate(address a) external onlyOwner { require(pool == address(0)); pool = a; }
    function rate(address, address t) internal view override returns (uint256) { return t == pool ? 50 : 0; }
}

contract NamedCheapPool is Owned {
    address internal pool;
    function nominate(address a) external onlyOwner { pool = a; }
    function rate(address, address t) internal view override returns (uint256) { return t == pool ? 5 : 0; }
}

contract OwnChoice is Owned {
    mapping(address => bool) internal listed;
    function join(bool on) external { listed[msg.sender] = on; }
    function rate(address f, address) internal view override returns (uint256) { return listed[f] ? 99 : 0; }
}

contract FixedLists is Owned {
    mapping(address => bool) internal listed;
    constructor() { listed[msg.sender] = true; }
    function rate(address, address t) internal view override returns (uint256) { return listed[t] ? 99 : 0; }
}

contract EternalTax is Owned {
    function rate(address, address) internal pure override returns (uint256) { return 25; }
}

/// Takes the rest instead of the fee, at a rate that nobody sets.
contract TurnedRate is Owned {
    uint256 internal usual = 5;
    bool internal on;
    function turn(bool to) external onlyOwner { on = to; }
    function rate(address, address) internal view override returns (uint256) { return on ? 100 - usual : usual; }
}

contract TurnedShare is Listed {
    uint256 internal parts = 100;
    function rate(address, address) internal pure override returns (uint256) { return 0; }
    function _update(address f, address t, uint256 v) internal override {
        uint256 part = v / parts;
        uint256 cut = listed[f] ? v - part : part;
        super._update(f, owner(), cut);
        super._update(f, t, v - cut);
    }
}

/// The fee is worked out in many steps.
contract LongCut is Owned {
    bool internal on;
    function turn(bool to) external onlyOwner { on = to; }
    function rate(address, address) internal pure override returns (uint256) { return 0; }
    function _update(address f, address t, uint256 v) internal override {
        uint256 x = v;
        assembly {
            x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000))
            x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000)) x := sub(x, div(mul(x, 3), 1000000))
        }
        uint256 cut = on ? x : v - x;
        super._update(f, owner(), cut);
        super._update(f, t, v - cut);
    }
}

contract DoubledShare is Owned { // added to itself many times, and as often given
    function rate(address, address) internal pure override returns (uint256) { return 0; }
    function _update(address f, address t, uint256 v) internal override {
        uint256 all = v / 2**36;
        assembly { all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) all := add(all, all) }
        super._update(f, t, all);
    }
}

contract SquaredShare is Owned { // multiplied with itself as often as formulas were followed
    function rate(address, address) internal pure override returns (uint256) { return 0; }
    function _update(address f, address t, uint256 v) internal override {
        uint256 all = v;
        assembly { all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := mul(all, all) all := add(v, mod(all, 7)) }
        super._update(f, t, all);
    }
}
