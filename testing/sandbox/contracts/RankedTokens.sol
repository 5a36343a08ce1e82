// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

interface IMinted {
    function mint(address to, uint256 amount) external;
}

/// In the shape of DAI: whoever is a ward mints, and a ward makes others wards. Anybody burns what is his or what he may
/// spend.
contract WardedToken is ERC20 {
    mapping(address account => uint256) public wards;

    event Rely(address indexed usr);
    event Deny(address indexed usr);

    modifier auth() {
        require(wards[msg.sender] == 1, "not-authorized");
        _;
    }

    constructor(string memory name_, string memory symbol_, uint256 supply, address governance) ERC20(name_, symbol_) {
        wards[governance] = 1;
        emit Rely(governance);
        _mint(msg.sender, supply);
    }

    function rely(address usr) external auth {
        wards[usr] = 1;
        emit Rely(usr);
    }

    function deny(address usr) external auth {
        wards[usr] = 0;
        emit Deny(usr);
    }

    function mint(address to, uint256 value) external auth {
        _mint(to, value);
    }

    function burn(address from, uint256 value) external {
        if (from != msg.sender) _spendAllowance(from, msg.sender, value);
        _burn(from, value);
    }
}

/// Mints a thousand for each ether that is locked, about a third of what it is worth, and gives the ether back for as many
/// burned. Nobody has any power over it.
contract CollateralJoin {
    WardedToken public immutable token;
    mapping(address account => uint256) public locked;

    constructor(WardedToken token_) {
        token = token_;
    }

    function draw() external payable {
        locked[msg.sender] += msg.value;
        token.mint(msg.sender, msg.value * 1_000);
    }

    function wipe(uint256 ether_) external {
        locked[msg.sender] -= ether_;
        token.burn(msg.sender, ether_ * 1_000);
        (bool ok,) = msg.sender.call{value: ether_}("");
        require(ok);
    }
}

/// Mints for whom its owner, a council, vouches that as much was locked on another chain.
contract Bridge {
    address public immutable owner;
    mapping(bytes32 message => bool) public done;

    constructor(address owner_) {
        owner = owner_;
    }

    function finalize(address token, bytes32 message, address to, uint256 value) external {
        require(msg.sender == owner && !done[message]);
        done[message] = true;
        IMinted(token).mint(to, value);
    }
}

/// A share of a fund: only who is on its list holds it, and its owner mints, redeems and moves shares.
contract FundToken is ERC20, Ownable {
    mapping(address account => bool) public isInvestor;

    error NotInvestor(address account);

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ERC20(name_, symbol_)
        Ownable(owner_)
    {
        isInvestor[msg.sender] = true;
        _mint(msg.sender, supply);
    }

    function setInvestors(address[] calldata accounts, bool listed) external onlyOwner {
        for (uint256 i = 0; i < accounts.length; i++) isInvestor[accounts[i]] = listed;
    }

    function issue(address to, uint256 value) external onlyOwner {
        _mint(to, value);
    }

    function redeem(address from, uint256 value) external onlyOwner {
        _burn(from, value);
    }

    function forceTransfer(address from, address to, uint256 value) external onlyOwner {
        _transfer(from, to, value);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from != address(0) && !isInvestor[from]) revert NotInvestor(from);
        if (to != address(0) && !isInvestor[to]) revert NotInvestor(to);
        super._update(from, to, value);
    }
}
